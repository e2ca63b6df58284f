import {
  type RunningService,
  type ServiceRuntime,
  openRedis,
  poolOf,
  readConfig,
  redisStartWaitMs,
  runService,
  untilReady,
} from '@tributary/service-kit';
import { createApps } from './app';
import { type AuthConfig, authConfig } from './config';
import { openAuthDatabase } from './database/auth-database';
import { RevocationOutbox } from './revocation/revocation-outbox';
import { startExpirySweep } from './tokens/expiry-sweep';

async function start(config: AuthConfig, { log, audit }: ServiceRuntime): Promise<RunningService> {
  const source = await openAuthDatabase(config);
  const pool = poolOf(source);
  const redis = openRedis(config, log);
  // Without it client credentials are refused.
  await untilReady(redis, redisStartWaitMs).catch(() => undefined);
  const outbox = new RevocationOutbox(pool, redis, log);
  outbox.start();
  const sweep = startExpirySweep(pool, log);
  return {
    ...createApps({ source, outbox, audit, log, redis, config }),
    // Redis is not part of readiness: without it, introspection and revocation by services go on. The public endpoints
    // refuse with 503, since credentials are not verified without limits.
    ready: { database: () => pool.query('SELECT 1') },
    stop: async () => {
      await sweep.stop();
      await outbox.stop();
      redis.disconnect();
      await source.destroy();
    },
  };
}

void runService({ name: 'auth', readConfig: () => readConfig(authConfig), start });
