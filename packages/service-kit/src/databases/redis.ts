import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { closeWhenSilent } from './redis-liveness';

/** A command of a request that has no reply after this time, in milliseconds, has failed. */
const commandTimeoutMs = 800;

const reconnecting: RedisOptions = {
  connectTimeout: 1000,
  keepAlive: 5000,
  // A connection that hangs does not answer the end of the stream, either.
  disconnectTimeout: 100,
  retryStrategy: (attempt) => Math.min(100 * attempt, 2000),
};

/**
 * A Redis connection for commands of requests, or for one subscription. It reconnects by itself. A command fails at once while Redis is away, and
 * within one second when Redis or the network hangs, so that a request never waits for it. A command that failed may have run. A connection that
 * hangs is closed within about two seconds, also one that only subscribes.
 */
export function openRedis(url: string, log: Logger): Redis {
  const forRequests: RedisOptions = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    commandTimeout: commandTimeoutMs,
  };
  return watched(new Redis(url, { ...reconnecting, ...forRequests }), log);
}

/**
 * The connection of a BullMQ `Worker`, whose commands must wait for Redis and not fail: after a connection that hung was replaced they are sent
 * again, so a command may run twice. BullMQ duplicates the connection for the command that blocks, and replaces the duplicate itself.
 */
export function openWorkerRedis(url: string, log: Logger): Redis {
  return watched(new Redis(url, { ...reconnecting, maxRetriesPerRequest: null }), log);
}

function watched(redis: Redis, log: Logger): Redis {
  redis.on('error', (error: Error) => log.warn({ err: { message: error.message } }, 'redis is not reachable'));
  closeWhenSilent(redis);
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
