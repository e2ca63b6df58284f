import { AuthClient, InternalHttp } from '@tributary/contracts';
import { AccessTokens, migrateDatabase, openPool, openRedis, readConfig, runService } from '@tributary/service-kit';
import { internalApp, publicApp } from './app';
import { config } from './config';
import { Directory } from './directory/directory';
import { migrations, schema } from './directory/migrations';

const name = 'search';

void runService({
  name,
  readConfig: () => readConfig(config),
  start: async (settings, log) => {
    const pool = openPool(settings, schema, { log });
    const redis = openRedis(settings.REDIS_URL, log);
    const auth = new AuthClient(
      new InternalHttp({
        service: 'auth',
        baseUrl: settings.AUTH_INTERNAL_URL,
        caller: name,
        key: settings.SERVICE_KEY,
      }),
    );
    const migrate = (): Promise<void> => migrateDatabase({ database: settings, schema, entities: [], migrations });
    const directory = new Directory({ pool, migrate, log, listens: settings.DATABASE_POOLER === 'none' });
    directory.start();
    return {
      publicApp: publicApp({ directory, tokens: new AccessTokens(auth, redis), serverUrl: settings.SEARCH_URL, log }),
      internalApp: internalApp({ directory, serviceKeys: settings.SERVICE_KEYS, log }),
      ready: { directory: () => directory.ready() },
      stop: async () => {
        await directory.stop();
        redis.disconnect();
        await pool.end();
      },
    };
  },
});
