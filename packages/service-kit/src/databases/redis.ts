import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import type { RedisConfig } from '../config/read-config';
import { AuthorityFile } from '../transport/authority-file';
import { type RedisAddress, readRedisUrl } from './redis-address';
import { RedisCluster } from './redis-cluster';
import { type LivenessCheck, closeWhenUnresponsive } from './redis-liveness';
import { RedisPassword } from './redis-password';

/** A connection to a Redis server, or the connections to a Redis Cluster. Both have the same commands. */
export type RedisClient = Redis | Cluster;

/** The settings of a service, some of which have a default, or only the URL of a server. */
export type RedisSettings = (Partial<RedisConfig> & Pick<RedisConfig, 'REDIS_URL'>) | string;
type Config = Exclude<RedisSettings, string>;

/** The time limit of a command, in milliseconds. */
const commandTimeoutMs = 800;

const reconnecting: RedisOptions = {
  connectTimeout: 1000,
  keepAlive: 5000,
  // A connection that hangs does not acknowledge the end of the stream either.
  disconnectTimeout: 100,
};

const forRequests: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  autoResendUnfulfilledCommands: false,
  commandTimeout: commandTimeoutMs,
};

/** How often a command of a request is sent again to a cluster: for about half a second. */
const retriesOfRequests = 5;

const retryAfterMs = (attempt: number): number => Math.min(100 * attempt, 2000);

/**
 * A Redis connection for the commands of requests. It reconnects automatically. A command fails at once while Redis is
 * unreachable, and within one second when Redis or the network hangs, so that a request never waits for Redis. A failed
 * command may have been executed. A connection that hangs is closed within about two seconds. A command to a cluster is
 * sent again for about half a second when its server has failed.
 */
export function openRedis(settings: RedisSettings, log: Logger, liveness?: LivenessCheck): RedisClient {
  return connect(settings, forRequests, retriesOfRequests, log, liveness);
}

/**
 * The connection of a BullMQ `Worker`, whose commands wait for Redis instead of failing. They are sent again when a
 * connection that hung has been replaced, so a command may be executed twice. BullMQ duplicates the connection for its
 * blocking command and replaces the duplicate itself.
 */
export function openWorkerRedis(settings: RedisSettings, log: Logger, liveness?: LivenessCheck): RedisClient {
  return connect(settings, { maxRetriesPerRequest: null }, Infinity, log, liveness);
}

/**
 * A connection for one subscription. It is closed within about two seconds when it hangs, although it sends nothing. A
 * message reaches all servers of a cluster, so that the connection is one to any of them.
 */
export function openRedisSubscriber(settings: RedisSettings, log: Logger, liveness?: LivenessCheck): Redis {
  const config = configOf(settings);
  const redis = config.REDIS_MODE === 'cluster' ? connectToAny(config) : connectToPrimary(config, forRequests);
  closeWhenUnresponsive(redis, liveness);
  return logged(redis, log);
}

function connect(
  settings: RedisSettings,
  options: RedisOptions,
  maxRetries: number,
  log: Logger,
  liveness: LivenessCheck | undefined,
): RedisClient {
  const config = configOf(settings);
  if (config.REDIS_MODE === 'cluster') {
    const { servers, ...address } = readRedisUrl(config.REDIS_URL, redisPort);
    const connection = { ...connectionOptions(config, address), ...options };
    const password = config.REDIS_PASSWORD && new RedisPassword(config.REDIS_PASSWORD);
    return logged(new RedisCluster({ servers, connection, password, maxRetries, retryAfterMs, liveness }), log);
  }
  const redis = connectToPrimary(config, options);
  closeWhenUnresponsive(redis, liveness);
  return logged(redis, log);
}

function configOf(settings: RedisSettings): Config {
  return typeof settings === 'string' ? { REDIS_URL: settings } : settings;
}

const [redisPort, sentinelPort] = [6379, 26_379];

/** Connects to the server, or to the one that the sentinels name. */
function connectToPrimary(config: Config, options: RedisOptions): Redis {
  if (config.REDIS_MODE === 'sentinel') {
    const { servers, ...address } = readRedisUrl(config.REDIS_URL, sentinelPort);
    const { REDIS_SENTINEL_NAME: name, REDIS_SENTINEL_PASSWORD: sentinelPassword } = config;
    const { tls, ...connection } = connectionOptions(config, address);
    return connectWith(config, {
      ...connection,
      ...options,
      ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
      sentinels: [...servers],
      ...(name !== undefined && { name }),
      ...(sentinelPassword && { sentinelPassword: sentinelPassword.current }),
      sentinelRetryStrategy: retryAfterMs,
      sentinelCommandTimeout: commandTimeoutMs,
      // It was the primary before, and is a replica now, or has been separated from its replicas.
      reconnectOnError: ({ message }) => /^(?:READONLY|NOREPLICAS)/.test(message),
    });
  }
  const { servers, ...address } = readRedisUrl(config.REDIS_URL, redisPort);
  if (servers.length > 1) throw new Error('REDIS_URL names several servers: set REDIS_MODE to sentinel or cluster');
  return connectWith(config, { ...connectionOptions(config, address), ...servers[0], ...options });
}

/** Connects to one of the servers, and to the next one after each failure. */
function connectToAny(config: Config): Redis {
  const { servers, ...address } = readRedisUrl(config.REDIS_URL, redisPort);
  return connectWith(config, { ...connectionOptions(config, address), ...servers[0], ...forRequests }, (attempt) => ({
    ...servers[attempt % servers.length],
  }));
}

/** @param changeFor what is another way for an attempt to connect, which is numbered from 1 */
function connectWith(
  { REDIS_PASSWORD }: Config,
  options: RedisOptions,
  changeFor: (attempt: number) => RedisOptions = () => ({}),
): Redis {
  const password = REDIS_PASSWORD && new RedisPassword(REDIS_PASSWORD);
  const redis = new Redis({
    ...options,
    ...(password && { password: password.forAttempt(0) }),
    // ioredis calls it as a method of the options of the connection, also of a duplicate.
    retryStrategy(this: RedisOptions, attempt) {
      Object.assign(this, changeFor(attempt), password && { password: password.forAttempt(attempt - 1) });
      return retryAfterMs(attempt);
    },
  });
  if (password) redis.on('ready', () => password.wasAccepted(redis.options.password));
  return redis;
}

function connectionOptions(
  { REDIS_CA_FILE }: Config,
  { isEncrypted, username, password, database }: Omit<RedisAddress, 'servers'>,
): RedisOptions {
  return {
    ...reconnecting,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    db: database,
    ...(isEncrypted && { tls: tlsOptions(REDIS_CA_FILE) }),
  };
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

function logged<Client extends RedisClient>(redis: Client, log: Logger): Client {
  redis.on('error', (error: Error) => log.warn({ err: { message: error.message } }, 'redis is not reachable'));
  return redis;
}

/** The connections to the servers that have the keys: one, or those of a cluster. */
export function primariesOf(redis: RedisClient): Redis[] {
  return redis instanceof Redis ? [redis] : redis.nodes('master');
}

/** For how long a service that also starts without Redis waits for it at its start, in milliseconds. */
export const redisStartWaitMs = 2000;

/**
 * Waits until the connection is ready; it can be lost again later.
 * @throws Error after `timeoutMs` milliseconds
 */
export async function untilReady(redis: RedisClient, timeoutMs = 10_000): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Redis did not respond in time')), timeoutMs);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
