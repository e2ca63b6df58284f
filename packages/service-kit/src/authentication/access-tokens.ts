import { createHash } from 'node:crypto';
import { type AuthClient, type LiveToken, tokenRevocation, tokenRevocationChannel } from '@tributary/contracts';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { IntrospectionBatcher } from './introspection-batcher';

const wellFormed = /^[A-Za-z0-9._~+/-]{16,512}=*$/;
const capacity = 50_000;
const lifetimeMs = 30_000;

/**
 * What access tokens stand for, asked of auth and remembered for up to 30 s. A revocation is published in Redis and forgets the token when it is
 * received, usually within milliseconds. Nothing is remembered while the subscription is not connected; a connection that hangs is noticed within
 * about two seconds (`openRedis`), and everything is forgotten then. If auth cannot publish the revocation at once,
 * because Redis is away or the process ends, auth publishes it from its outbox later. In every case a revoked token is accepted for at most 30 s.
 */
export class AccessTokens {
  readonly #known = new LRUCache<string, LiveToken>({
    max: capacity,
    ttl: lifetimeMs,
    dispose: (token, hash) => this.#removeFromUser(token, hash),
  });
  /** The hashes of the known tokens of each user. */
  readonly #ofUser = new Map<number, Set<string>>();
  readonly #introspections: IntrospectionBatcher;
  #listening = false;
  #revocations = 0;

  /** @param subscriber a connection of `openRedis` of its own, which this takes for its subscription */
  constructor(
    auth: Pick<AuthClient, 'introspect'>,
    private readonly subscriber: Redis,
  ) {
    this.#introspections = new IntrospectionBatcher(auth);
    subscriber.on('message', (_channel: string, message: string) => this.#forget(message));
    subscriber.on('close', () => this.#stopListening());
    subscriber.on('ready', () => void this.#listen());
    if (subscriber.status === 'ready') void this.#listen();
  }

  /** What the token stands for, or undefined when it is not, or no longer, good. */
  async resolve(token: string, requestId?: string): Promise<LiveToken | undefined> {
    if (!wellFormed.test(token)) return undefined;
    const hash = createHash('sha256').update(token).digest('base64url');
    const known = this.#known.get(hash);
    if (known) return known.expires_at * 1000 > Date.now() ? known : undefined;
    const revocationsBefore = this.#revocations;
    const answer = await this.#introspections.introspect(token, requestId);
    if (!answer.active) return undefined;
    if (this.#listening && revocationsBefore === this.#revocations) this.#remember(hash, answer);
    return answer;
  }

  async #listen(): Promise<void> {
    try {
      await this.subscriber.subscribe(tokenRevocationChannel);
      this.#listening = true;
    } catch {
      this.#stopListening();
    }
  }

  #stopListening(): void {
    this.#listening = false;
    this.#revocations++;
    this.#known.clear();
  }

  #remember(hash: string, token: LiveToken): void {
    this.#known.set(hash, token);
    if (token.service_user_id === undefined) return;
    const hashes = this.#ofUser.get(token.service_user_id);
    if (hashes) hashes.add(hash);
    else this.#ofUser.set(token.service_user_id, new Set([hash]));
  }

  /** Also called when a known token is replaced by itself; `#remember` then adds it again. */
  #removeFromUser({ service_user_id: userId }: LiveToken, hash: string): void {
    if (userId === undefined) return;
    const hashes = this.#ofUser.get(userId);
    hashes?.delete(hash);
    if (hashes?.size === 0) this.#ofUser.delete(userId);
  }

  #forget(message: string): void {
    this.#revocations++;
    const revocation = tokenRevocation.safeParse(parseJson(message));
    if (!revocation.success) this.#known.clear();
    else if ('service_user_id' in revocation.data) {
      for (const hash of this.#ofUser.get(revocation.data.service_user_id) ?? []) this.#known.delete(hash);
    } else for (const hash of revocation.data.token_sha256) this.#known.delete(hash);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
