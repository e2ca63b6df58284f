import { type RedisClient, primariesOf } from '../databases/redis';
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpError, unavailable } from '../api/http-error';
import { type RedisScript, redisScript } from '../databases/redis-script';
import { addressKey, clientAddress } from '../transport/client-address';
import { claimClient } from '../audit/claimed-agent';
import { beginScript, endScript, scriptKeys } from './credential-scripts';
import type { LimitPolicies, LimitPolicy } from './rate-limit-policies';

export interface CredentialGuardOptions {
  redis: RedisClient;
  RATE_LIMITS: LimitPolicies;
  TRUSTED_PROXIES: BlockList;
  /** The first part of the keys in Redis. */
  prefix?: string;
  /**
   * When an attempt is made again while too many others are open, in milliseconds; by default about three seconds in
   * all.
   */
  pausesMs?: readonly number[];
}

type Outcome = 'succeeded' | 'failed' | 'abandoned';

/**
 * How many attempts of a client may be open from an address at which it has succeeded. From another one, as many may be
 * open as may fail.
 */
const openOfKnown = 10_000;
const defaultPausesMs = [50, 100, 200, 400, 800, 1600];

/**
 * Delays attempts to guess the credentials of clients. An attempt is counted before the credentials are verified, so
 * that concurrent attempts are limited too: further ones wait for their outcome. After the allowed failures each
 * further one doubles the time in which attempts are refused without verification. The failures of a client from one
 * address, of an address, and of a client from all addresses count; only the first concerns an address at which the
 * client has succeeded in the last 30 days, so that nobody can lock a client out from other addresses. All services
 * share the counts. Failures are forgotten one after the other.
 */
export class CredentialGuard {
  readonly #limits: readonly number[];
  readonly #beginScript: RedisScript<number>;
  readonly #endScript: RedisScript<number>;

  constructor(private readonly options: CredentialGuardOptions) {
    const { redis, RATE_LIMITS } = options;
    this.#beginScript = redisScript(redis, 'beginCredentialAttempt', scriptKeys, beginScript);
    this.#endScript = redisScript(redis, 'endCredentialAttempt', scriptKeys, endScript);
    this.#limits = (['failed-pair', 'failed-address', 'failed-client'] as const).flatMap((name) =>
      failuresAndMs(RATE_LIMITS[name]),
    );
  }

  /**
   * Verifies credentials unless too many have failed.
   * @param clientId of the credentials, which need not exist
   * @param verify undefined when the credentials are wrong; an error is no failure of the client
   * @throws HttpError 429 with `Retry-After`, also while too many attempts are open; 503 when Redis is not available
   */
  async attempt<T extends object>(
    request: IncomingMessage,
    clientId: string,
    verify: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    claimClient(request, clientId);
    const keys = this.#keysOf(clientId, addressKey(clientAddress(request, this.options.TRUSTED_PROXIES)));
    const id = randomBytes(9).toString('base64url');
    const waitMs = await this.#begin(keys, id);
    if (waitMs > 0)
      throw new HttpError(
        'too_many_failed_credentials',
        'too many credentials were wrong: wait before the next attempt',
        { 'Retry-After': String(Math.ceil(waitMs / 1000)) },
      );
    if (waitMs < 0)
      throw new HttpError(
        'too_many_requests',
        'too many credentials of the client are being verified: repeat the request',
        { 'Retry-After': '1' },
      );
    let outcome: Outcome = 'abandoned';
    try {
      const verified = await verify();
      outcome = verified ? 'succeeded' : 'failed';
      return verified;
    } finally {
      await this.#end(keys, id, outcome);
    }
  }

  /** @returns the milliseconds to wait; 0 when the attempt has begun, and -1 when too many others are open */
  async #begin(keys: string[], id: string): Promise<number> {
    const openOfOthers = this.options.RATE_LIMITS['failed-pair']?.quota ?? openOfKnown;
    const begin = (): Promise<number> => orUnavailable(this.#beginScript(...keys, id, openOfKnown, openOfOthers));
    for (const pauseMs of this.options.pausesMs ?? defaultPausesMs) {
      const waitMs = await begin();
      if (waitMs >= 0) return waitMs;
      await pause(pauseMs);
    }
    return begin();
  }

  /** @throws HttpError 503: a response would tell whether the credentials are right, without counting the attempt */
  async #end(keys: string[], id: string, outcome: Outcome): Promise<void> {
    await orUnavailable(this.#endScript(...keys, id, outcome, ...this.#limits));
  }

  #keysOf(clientId: string, address: string): string[] {
    const client = hashOf(clientId);
    const prefix = keyPrefix(this.options.prefix);
    return [
      `${prefix}pair:${client}:${address}`,
      `${prefix}address:${address}`,
      `${prefix}client:${client}`,
      `${prefix}known:${client}:${address}`,
      `${prefix}open:${client}:${address}`,
    ];
  }
}

function orUnavailable<T>(reply: Promise<T>): Promise<T> {
  return reply.catch(() => {
    throw unavailable('a part of the service is not available; try again shortly');
  });
}

/**
 * Forgets the failures of a client at all addresses, because its credentials have changed.
 * @param prefix as in `CredentialGuardOptions`
 */
export async function forgetFailedCredentials(redis: RedisClient, clientId: string, prefix?: string): Promise<void> {
  const client = hashOf(clientId);
  const keys = [`${keyPrefix(prefix)}client:${client}`];
  const match = `${keyPrefix(prefix)}pair:${client}:*`;
  for (const server of primariesOf(redis)) {
    const pairs = server.scanStream({ match, count: 1000 }) as AsyncIterable<string[]>;
    for await (const found of pairs) keys.push(...found);
  }
  await redis.del(...keys);
}

/** All keys are in one slot of a Redis cluster. */
function keyPrefix(prefix = ''): string {
  return `${prefix}{credentials}:`;
}

/** Client ids are hashed, as anybody can send any text. */
function hashOf(clientId: string): string {
  return createHash('sha256').update(clientId).digest('base64url').slice(0, 22);
}

/** The failures that are allowed, and the milliseconds in which one is forgotten; 0 and 0 when the limit is off. */
function failuresAndMs(policy: LimitPolicy | undefined): [number, number] {
  return policy ? [policy.quota, (policy.windowSeconds * 1000) / policy.quota] : [0, 0];
}
