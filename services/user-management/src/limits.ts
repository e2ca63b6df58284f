import type { ClientApplication } from '@tributary/contracts';
import {
  type RedisClient,
  type RateLimits,
  type RollingLimit,
  limitAddresses,
  limitCallers,
  rateLimit,
} from '@tributary/service-kit';
import { type Config, hourMs, serviceName } from './config';
import type { ConnectionCaller } from './connections/connection-caller';

/** The rate limits of the public routes. */
export function createLimits(config: Config, redis: RedisClient, limits: RateLimits) {
  const webhookTests = limits.limit('webhook-test');
  const ofClient = limits.limit('connections-client');
  return {
    /** All of the process. */
    all: limits,
    /** Requests of a client per hour to the routes of users, all together. */
    users: hourlyLimit(config, redis, serviceName),
    /** Requests of a client per hour to the routes of webhooks, all together. */
    webhooks: hourlyLimit(config, redis, `${serviceName}-webhooks`),
    /** Requests of a client per hour to its activity. */
    activity: hourlyLimit(config, redis, `${serviceName}-activity`),
    webhookTests,
    sentWebhooks: limitCallers<ClientApplication>([{ limit: webhookTests, keyOf: ({ client_id }) => client_id }]),
    /** Requests of an address to the pages of connect. */
    pages: limitAddresses(limits.limit('connect-address'), config.TRUSTED_PROXIES),
    sessions: limits.limit('connect-user', 'refuse'),
    connectionsOfClient: ofClient,
    connections: limitCallers<ConnectionCaller>([
      {
        limit: limits.limit('connections-user'),
        keyOf: (caller) => (caller.by === 'user' ? String(caller.serviceUserId) : undefined),
      },
      { limit: ofClient, keyOf: ({ clientId }) => clientId },
    ]),
    refreshOfConnection: limits.limit('refresh-connection'),
    refreshOfClient: limits.limit('refresh-client'),
  };
}

/** @param name identifies the counters in Redis */
function hourlyLimit({ RATE_LIMIT_PER_HOUR: limit }: Config, redis: RedisClient, name: string): RollingLimit {
  return rateLimit({
    redis,
    name,
    limit,
    windowMs: hourMs,
    keyOf: (response) => (response.locals['principal'] as ClientApplication).client_id,
  });
}
