import {
  type ConnectionsClient,
  type HealthSystemAccess,
  InternalCallError,
  type RetryPolicy,
  isServiceUnavailable,
  withRetries,
} from '@tributary/contracts';
import { HealthSystemRequestFailed } from './request-failures';

/**
 * A token is replaced this long before it expires, in milliseconds; a short-lived one after four fifths of its life.
 */
const maxMarginMs = 15_000;

interface CachedAccess {
  access: HealthSystemAccess;
  /** Epoch milliseconds. */
  freshUntil: number;
}

/**
 * The access token of one connection, held in memory only. User-management refreshes it; concurrent requests share one
 * call.
 */
export class AccessTokenProvider {
  #cached: CachedAccess | undefined;
  #pending: Promise<HealthSystemAccess> | undefined;

  constructor(
    private readonly connections: ConnectionsClient,
    private readonly connectionId: string,
    private readonly retryPolicy: RetryPolicy,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * A token that is valid now.
   * @throws NeedsReauthorization when the grant is gone
   * @throws ClientNotAccepted when the health system refuses Tributary's client registration
   * @throws HealthSystemRequestFailed when the health system cannot renew the token at the moment
   * @throws InternalCallError when user-management stays unavailable
   */
  async get(): Promise<HealthSystemAccess> {
    if (this.#cached && this.#cached.freshUntil > Date.now()) return this.#cached.access;
    return this.#fetch(undefined);
  }

  /** The last token fetched; undefined before the first one. */
  get newest(): HealthSystemAccess | undefined {
    return this.#cached?.access;
  }

  /** A token other than the one that the health system refused. @throws as `get` does */
  async renew(refused: HealthSystemAccess): Promise<HealthSystemAccess> {
    const latest = this.#pending ? await this.#pending : this.#cached?.access;
    return latest && latest.token_id !== refused.token_id ? latest : this.#fetch(refused.token_id);
  }

  #fetch(refusedTokenId: string | undefined): Promise<HealthSystemAccess> {
    this.#pending ??= this.#request(refusedTokenId).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #request(refusedTokenId: string | undefined): Promise<HealthSystemAccess> {
    const { connections, connectionId, retryPolicy, signal } = this;
    try {
      const access = await withRetries(
        retryPolicy,
        () => connections.accessToken(connectionId, refusedTokenId, { signal }),
        { isRetryable: isServiceUnavailable, signal },
      );
      this.#cached = { access, freshUntil: freshUntil(access, Date.now()) };
      return access;
    } catch (error) {
      // User-management answers 503 when the token endpoint of the health system is unavailable.
      if (error instanceof InternalCallError && error.status === 503)
        throw new HealthSystemRequestFailed(503, 'does not renew its access at the moment');
      throw error;
    }
  }
}

/** @param now epoch milliseconds */
function freshUntil({ expires_at: expiresAt }: HealthSystemAccess, now: number): number {
  if (expiresAt === null) return Infinity;
  const expiry = Date.parse(expiresAt);
  return expiry - Math.min(maxMarginMs, (expiry - now) / 5);
}
