import { hash as digest } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type AuthClient, type LiveToken, tokenRevocation, tokenRevocationChannel } from '@tributary/contracts';
import { LRUCache } from 'lru-cache';
import type { RedisClient } from '../databases/redis';
import type { FailedTokens } from './failed-tokens';
import { IntrospectionBatcher } from './introspection-batcher';

const wellFormed = /^[A-Za-z0-9._~+/-]{16,512}=*$/;
const capacity = 50_000;
const lifetimeMs = 30_000;

/**
 * Resolves access tokens by introspection at auth, and caches active tokens for up to 30 s. Auth publishes revocations
 * in Redis; a received revocation removes the token from the cache, usually within milliseconds. Nothing is cached
 * while the subscription is down. A connection that hangs is detected within about two seconds
 * (`openRedisSubscriber`), and the cache is cleared then. A revocation that auth cannot publish at once is published
 * later from its outbox. In every case a revoked token is accepted for at most 30 s.
 */
export class AccessTokens {
  readonly #cached = new LRUCache<string, LiveToken>({
    max: capacity,
    ttl: lifetimeMs,
    dispose: (token, hash) => this.#removeFromUser(token, hash),
  });
  /** The hashes of the cached tokens by `service_user_id`. */
  readonly #hashesByUser = new Map<number, Set<string>>();
  readonly #introspections: IntrospectionBatcher;
  #isSubscribed = false;
  /** Counts revocations: an introspection during which one was received may be outdated and is not cached. */
  #revocations = 0;

  /**
   * @param subscriber a connection of `openRedisSubscriber` that is used for nothing else, as subscribed connections
   * accept no other commands
   */
  constructor(
    auth: Pick<AuthClient, 'introspect'>,
    private readonly subscriber: RedisClient,
    private readonly failures: FailedTokens,
  ) {
    this.#introspections = new IntrospectionBatcher(auth);
    subscriber.on('message', (_channel: string, message: string) => this.#handleRevocation(message));
    subscriber.on('close', () => this.#clear());
    subscriber.on('ready', () => void this.#subscribe());
    if (subscriber.status === 'ready') void this.#subscribe();
  }

  /**
   * The client, user and scope of the token; undefined when the token is unknown, expired or revoked.
   * @param request that has sent the token; absent where another limit counts the requests of its address
   * @throws HttpError 429 when the address has sent too many tokens that are not valid; 503 when too many requests wait
   * for auth
   */
  async resolve(token: string, requestId?: string, request?: IncomingMessage): Promise<LiveToken | undefined> {
    if (!wellFormed.test(token)) return undefined;
    const hash = digest('sha256', token, 'base64url');
    const cached = this.#cached.get(hash);
    if (cached) return cached.expires_at * 1000 > Date.now() ? cached : undefined;
    if (request) this.failures.check(request);
    const revocationsBefore = this.#revocations;
    const introspection = await this.#introspections.introspect(token, requestId);
    if (!introspection.active) {
      if (request) await this.failures.count(request);
      return undefined;
    }
    if (this.#isSubscribed && revocationsBefore === this.#revocations) this.#cache(hash, introspection);
    return introspection;
  }

  async #subscribe(): Promise<void> {
    try {
      await this.subscriber.subscribe(tokenRevocationChannel);
      this.#isSubscribed = true;
    } catch {
      this.#clear();
    }
  }

  #clear(): void {
    this.#isSubscribed = false;
    this.#revocations++;
    this.#cached.clear();
  }

  #cache(hash: string, token: LiveToken): void {
    this.#cached.set(hash, token);
    if (token.service_user_id === undefined) return;
    const hashes = this.#hashesByUser.get(token.service_user_id);
    if (hashes) hashes.add(hash);
    else this.#hashesByUser.set(token.service_user_id, new Set([hash]));
  }

  /** Also called when an entry is replaced by the same token; `#cache` adds the hash again afterwards. */
  #removeFromUser({ service_user_id: userId }: LiveToken, hash: string): void {
    if (userId === undefined) return;
    const hashes = this.#hashesByUser.get(userId);
    hashes?.delete(hash);
    if (hashes?.size === 0) this.#hashesByUser.delete(userId);
  }

  #handleRevocation(message: string): void {
    this.#revocations++;
    const revocation = tokenRevocation.safeParse(parseJson(message));
    if (!revocation.success) this.#cached.clear();
    else if ('service_user_id' in revocation.data) {
      for (const hash of this.#hashesByUser.get(revocation.data.service_user_id) ?? []) this.#cached.delete(hash);
    } else if ('token_sha256' in revocation.data) {
      for (const hash of revocation.data.token_sha256) this.#cached.delete(hash);
    } else this.#removeTokensOfClient(revocation.data.client_id);
  }

  /** Clients are disabled rarely, so the cache has no index by client. */
  #removeTokensOfClient(clientId: string): void {
    const tokens = [...this.#cached.entries()];
    for (const [hash, token] of tokens) if (token.client_id === clientId) this.#cached.delete(hash);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
