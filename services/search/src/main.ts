import { AuthClient, RegistrationsClient } from '@tributary/contracts';
import {
  AccessTokens,
  FailedTokens,
  RateLimits,
  limitUsers,
  openPool,
  openRedis,
  openRedisSubscriber,
  readConfig,
  runService,
} from '@tributary/service-kit';
import { internalApp, publicApp } from './app';
import { config } from './config';
import { copyRegistrations } from './directory/copy-registrations';
import { Directory } from './directory/directory';
import { migrateSearchDatabase, schema } from './directory/migrations';
import { follow } from './directory/follow';

const name = 'search';

void runService({
  name,
  readConfig: () => readConfig(config),
  start: async (settings, runtime) => {
    const { log } = runtime;
    const pool = openPool(settings, schema, { log });
    const [subscriber, redis] = [openRedisSubscriber(settings, log), openRedis(settings, log)];
    const limits = new RateLimits(redis, settings.RATE_LIMITS);
    const auth = new AuthClient(runtime.internalHttp('auth', settings.AUTH_INTERNAL_URL));
    const registrations = new RegistrationsClient(
      runtime.internalHttp('user-management', settings.USER_MANAGEMENT_INTERNAL_URL),
    );
    const directory = new Directory({ pool, migrate: () => migrateSearchDatabase(settings), log });
    directory.start();
    const followed = follow({
      what: 'the registrations at health systems',
      intervalMs: 5000,
      read: async () => {
        if (await copyRegistrations(pool, registrations)) log.info('the registrations at health systems have changed');
      },
      // user-management may start later than this service.
      loggedFailures: 6,
      log,
    });
    return {
      publicApp: publicApp({
        directory,
        tokens: new AccessTokens(auth, subscriber, new FailedTokens(limits, settings.TRUSTED_PROXIES)),
        serverUrl: settings.SEARCH_URL,
        authUrl: settings.AUTH_URL,
        limits: limitUsers(limits.limit('search-user'), limits.limit('search-client')),
        audit: { trail: runtime.audit, trustedProxies: settings.TRUSTED_PROXIES },
        log,
      }),
      internalApp: internalApp({ directory, pool, serviceKeys: settings.SERVICE_KEYS, log }),
      ready: { directory: () => directory.ready() },
      stop: async () => {
        await followed.stop();
        await directory.stop();
        subscriber.disconnect();
        redis.disconnect();
        await pool.end();
      },
    };
  },
});
