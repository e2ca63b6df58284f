import { type RunningService, openPool, openRedis, readConfig, runService } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { createApps } from './app';
import { type AuthConfig, authConfig } from './config';
import { authSchema, openAuthDatabase } from './database/auth-database';
import { RevocationChannel } from './revocations/revocation-channel';
import { ExpirySweep } from './tokens/expiry-sweep';

async function start(config: AuthConfig, log: Logger): Promise<RunningService> {
  const forClients = Math.max(1, Math.floor(config.DATABASE_POOL_SIZE / 4));
  const source = await openAuthDatabase({ ...config, DATABASE_POOL_SIZE: forClients });
  const pool = openPool(config, authSchema, config.DATABASE_POOL_SIZE - forClients);
  pool.on('error', (error) => log.warn({ err: { message: error.message } }, 'a database connection was lost'));
  const redis = openRedis(config.REDIS_URL, log);
  const channel = new RevocationChannel(pool, redis, log);
  channel.start();
  const sweep = new ExpirySweep(pool, log);
  sweep.start();
  return {
    ...createApps({
      source,
      pool,
      channel,
      log,
      authUrl: config.AUTH_URL,
      serviceKeys: config.SERVICE_KEYS,
      sandboxMode: config.SANDBOX_MODE,
    }),
    // Without Redis only revocations wait: they are published from the outbox when it is back.
    ready: { database: () => pool.query('SELECT 1') },
    stop: async () => {
      await sweep.stop();
      await channel.stop();
      redis.disconnect();
      await Promise.all([pool.end(), source.destroy()]);
    },
  };
}

void runService({ name: 'auth', readConfig: () => readConfig(authConfig), start });
