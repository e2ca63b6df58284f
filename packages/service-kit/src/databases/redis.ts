import { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** A Redis connection that keeps trying to come back; commands fail at once while it is away, so that a request never hangs on it. */
export function openRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1, retryStrategy: (attempt) => Math.min(100 * attempt, 2000), lazyConnect: false });
  redis.on('error', (error: Error) => log.warn({ err: { message: error.message } }, 'redis is not reachable'));
  return redis;
}

/** Waits until the connection is usable; it may also be lost again later. */
export async function untilReady(redis: Redis, timeoutMs = 10_000): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Redis did not answer in time')), timeoutMs);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
