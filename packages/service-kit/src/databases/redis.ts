import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import type { RedisConfig } from '../config/read-config';
import type { Secret } from '../config/secrets';
import { AuthorityFile } from '../transport/authority-file';
import { type LivenessCheck, closeWhenUnresponsive } from './redis-liveness';

/** The time limit of a command, in milliseconds. */
const commandTimeoutMs = 800;

const reconnecting: RedisOptions = {
  connectTimeout: 1000,
  keepAlive: 5000,
  // A connection that hangs does not acknowledge the end of the stream either.
  disconnectTimeout: 100,
};

const retryAfterMs = (attempt: number): number => Math.min(100 * attempt, 2000);

/**
 * A Redis connection for the commands of requests, or for one subscription. It reconnects automatically. A command
 * fails at once while Redis is unreachable, and within one second when Redis or the network hangs, so that a request
 * never waits for Redis. A failed command may have been executed. A connection that hangs is closed within about two
 * seconds, also one that is only subscribed.
 */
export function openRedis(server: RedisConfig | string, log: Logger, liveness?: LivenessCheck): Redis {
  const forRequests: RedisOptions = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    commandTimeout: commandTimeoutMs,
  };
  return watched(connect(server, forRequests), log, liveness);
}

/**
 * The connection of a BullMQ `Worker`, whose commands wait for Redis instead of failing. They are sent again when a
 * connection that hung has been replaced, so a command may be executed twice. BullMQ duplicates the connection for its
 * blocking command and replaces the duplicate itself.
 */
export function openWorkerRedis(server: RedisConfig | string, log: Logger, liveness?: LivenessCheck): Redis {
  return watched(connect(server, { maxRetriesPerRequest: null }), log, liveness);
}

/** @param server the settings of the service, or only a URL */
function connect(server: RedisConfig | string, options: RedisOptions): Redis {
  const config: Partial<RedisConfig> & Pick<RedisConfig, 'REDIS_URL'> =
    typeof server === 'string' ? { REDIS_URL: server } : server;
  const { REDIS_URL: url, REDIS_CA_FILE: authority, REDIS_PASSWORD: password } = config;
  const tls = url.startsWith('rediss:') ? { tls: tlsOptions(authority) } : {};
  const further = { ...reconnecting, ...options, ...tls };
  if (password === undefined) return new Redis(url, { ...further, retryStrategy: retryAfterMs });
  let valid: string | undefined;
  const address = new URL(url);
  address.password = encodeURIComponent(passwordOf(password, valid, 0));
  const redis = new Redis(address.href, {
    ...further,
    // ioredis calls it as a method of the options of the connection, also of a duplicate.
    retryStrategy(this: RedisOptions, attempt) {
      password.refresh?.();
      this.password = passwordOf(password, valid, attempt - 1);
      return retryAfterMs(attempt);
    },
  });
  redis.on('ready', () => (valid = redis.options.password));
  return redis;
}

/**
 * The password for an attempt to connect. While it is replaced, nobody knows which of several is valid: the one that
 * was valid last comes first, and the others follow, the newest first.
 */
function passwordOf({ accepted }: Secret, valid: string | undefined, attempt: number): string {
  const others = accepted.filter((value) => value !== valid).reverse();
  const order = valid !== undefined && accepted.includes(valid) ? [valid, ...others] : others;
  return order[attempt % order.length] as string;
}

function tlsOptions(path: string | undefined): NonNullable<RedisOptions['tls']> {
  if (path === undefined) return { minVersion: 'TLSv1.2' };
  const authority = new AuthorityFile(path, 'REDIS_CA_FILE');
  return {
    minVersion: 'TLSv1.2',
    // A getter, which ioredis calls for each connection.
    get ca() {
      return authority.current();
    },
  };
}

function watched(redis: Redis, log: Logger, liveness: LivenessCheck | undefined): Redis {
  redis.on('error', (error: Error) => log.warn({ err: { message: error.message } }, 'redis is not reachable'));
  closeWhenUnresponsive(redis, liveness);
  return redis;
}

/** For how long a service that also starts without Redis waits for it at its start, in milliseconds. */
export const redisStartWaitMs = 2000;

/**
 * Waits until the connection is ready; it can be lost again later.
 * @throws Error after `timeoutMs` milliseconds
 */
export async function untilReady(redis: Redis, timeoutMs = 10_000): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Redis did not respond in time')), timeoutMs);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
