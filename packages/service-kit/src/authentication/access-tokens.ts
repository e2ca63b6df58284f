import { createHash } from 'node:crypto';
import { type AuthClient, type LiveToken, tokenRevocation, tokenRevocationChannel } from '@tributary/contracts';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { TokenQuestions } from './token-questions';

const wellFormed = /^[A-Za-z0-9._~+/-]{16,512}=*$/;
const capacity = 50_000;
const lifetimeMs = 30_000;

/**
 * What access tokens stand for, asked of auth and remembered for up to 30 s. A revocation is heard over Redis and forgets at once;
 * while that channel is not connected nothing is remembered, so that a revoked token never lives on here.
 */
export class AccessTokens {
  readonly #known = new LRUCache<string, LiveToken>({ max: capacity, ttl: lifetimeMs });
  #listening = false;
  #revocations = 0;

  readonly #questions: TokenQuestions;

  /** @param subscriber a Redis connection of its own, which this takes for its subscription */
  constructor(
    auth: AuthClient,
    private readonly subscriber: Redis,
  ) {
    this.#questions = new TokenQuestions(auth);
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
    const answer = await this.#questions.ask(token, requestId);
    if (!answer.active) return undefined;
    if (this.#listening && revocationsBefore === this.#revocations) this.#known.set(hash, answer);
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

  #forget(message: string): void {
    this.#revocations++;
    const revocation = tokenRevocation.safeParse(parseJson(message));
    if (!revocation.success) this.#known.clear();
    else if ('service_user_id' in revocation.data) {
      const userId = revocation.data.service_user_id;
      for (const [hash, token] of this.#known.entries()) if (token.service_user_id === userId) this.#known.delete(hash);
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
