import { Cluster, type Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './redis-address';
import { type LivenessCheck, closeWhenUnresponsive } from './redis-liveness';
import type { RedisPassword } from './redis-password';

/** How often the slots are read again, so that a failover is known without a command that has failed. */
const slotsRefreshIntervalMs = 5000;
/** How long a command waits before it is sent again, when its server has failed or has given the key to another one. */
const retryDelayMs = 100;

export interface RedisClusterOptions {
  servers: RedisAddress['servers'];
  /** Of the connection to each server. */
  connection: RedisOptions;
  password: RedisPassword | undefined;
  /** How often a command is sent again. */
  maxRetries: number;
  retryAfterMs(attempt: number): number;
  liveness: LivenessCheck | undefined;
}

/** The connections to a Redis Cluster, each of which is closed when it hangs. */
export class RedisCluster extends Cluster {
  readonly #settings: RedisClusterOptions;

  constructor(settings: RedisClusterOptions) {
    const { servers, connection, password, maxRetries, retryAfterMs, liveness } = settings;
    const { enableOfflineQueue = true, ...ofServers } = connection;
    let refused = 0;
    super([...servers], {
      enableOfflineQueue,
      clusterRetryStrategy: retryAfterMs,
      slotsRefreshInterval: slotsRefreshIntervalMs,
      retryDelayOnFailover: retryDelayMs,
      retryDelayOnClusterDown: retryDelayMs,
      retryDelayOnTryAgain: retryDelayMs,
      maxRedirections: maxRetries,
      // The certificate of a server has its name, which a look-up would replace by an address.
      dnsLookup: (host, done) => done(null, host),
      redisOptions: ofServers,
    });
    this.#settings = settings;
    this.on('+node', (node: Redis) => {
      closeWhenUnresponsive(node, liveness);
      if (!password) return;
      // A getter, because a connection is opened long after its options are made.
      Object.defineProperty(node.options, 'password', { get: () => password.forAttempt(refused), enumerable: true });
      node.on('ready', () => {
        password.wasAccepted(node.options.password);
        refused = 0;
      });
    });
    this.on('node error', (error: Error) => {
      if (error.message.includes('WRONGPASS')) refused++;
    });
  }

  /** BullMQ gives options of the connections that have been evaluated: their password would never be replaced. */
  override duplicate(_servers?: unknown, { redisOptions }: { redisOptions?: RedisOptions } = {}): Cluster {
    const { connectionName, maxRetriesPerRequest } = redisOptions ?? {};
    const connection = {
      ...this.#settings.connection,
      ...(connectionName !== undefined && { connectionName }),
      ...(maxRetriesPerRequest !== undefined && { maxRetriesPerRequest }),
    };
    return new RedisCluster({ ...this.#settings, connection });
  }
}
