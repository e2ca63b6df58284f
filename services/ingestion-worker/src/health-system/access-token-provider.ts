import {
  type AccessTokenRequest,
  type ConnectionsClient,
  type HealthSystemAccess,
  InternalCallError,
  RefreshPostponed,
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
  /** No request to user-management before this time, in epoch milliseconds. */
  #postponedUntil = 0;

  constructor(
    private readonly connections: ConnectionsClient,
    private readonly connectionId: string,
    private readonly retryPolicy: RetryPolicy,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * A token that is valid now.
   * @throws NeedsReauthorization when the grant is gone
   * @throws ConsentEnded when the consent of the user has ended
   * @throws ClientNotAccepted when the health system refuses Tributary's client registration
   * @throws HealthSystemRequestFailed when the health system does not renew the token at the moment; `retryAfterMs`
   * says when the next request is due
   * @throws InternalCallError when user-management stays unavailable
   */
  async get(): Promise<HealthSystemAccess> {
    if (this.#cached && this.#cached.freshUntil > Date.now()) return this.#cached.access;
    return this.#fetch({});
  }

  /** The last token fetched; undefined before the first one. */
  get newest(): HealthSystemAccess | undefined {
    return this.#cached?.access;
  }

  /**
   * A token other than the one that the health system refused.
   * @param wasAccepted whether the health system has accepted the token before
   * @throws as `get` does
   */
  async renew(refused: HealthSystemAccess, wasAccepted: boolean): Promise<HealthSystemAccess> {
    const latest = this.#pending ? await this.#pending : this.#cached?.access;
    return latest && latest.token_id !== refused.token_id
      ? latest
      : this.#fetch({ refused_token_id: refused.token_id, never_accepted: !wasAccepted });
  }

  #fetch(request: AccessTokenRequest): Promise<HealthSystemAccess> {
    this.#pending ??= this.#request(request).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #request(request: AccessTokenRequest): Promise<HealthSystemAccess> {
    const { connections, connectionId, retryPolicy, signal } = this;
    if (this.#postponedUntil > Date.now()) throw postponed(this.#postponedUntil - Date.now());
    try {
      const access = await withRetries(retryPolicy, () => connections.accessToken(connectionId, request, { signal }), {
        isRetryable: isServiceUnavailable,
        signal,
      });
      this.#cached = { access, freshUntil: freshUntil(access, Date.now()) };
      return access;
    } catch (error) {
      if (error instanceof RefreshPostponed) {
        this.#postponedUntil = Date.now() + error.retryAfterSeconds * 1000;
        throw postponed(error.retryAfterSeconds * 1000);
      }
      // Another process renews the token, and the health system is slow to respond.
      if (error instanceof InternalCallError && error.status === 503) throw postponed();
      throw error;
    }
  }
}

function postponed(retryAfterMs?: number): HealthSystemRequestFailed {
  return new HealthSystemRequestFailed(
    503,
    'does not renew its access at the moment',
    false,
    retryAfterMs,
    'access_postponed',
  );
}

/** @param now epoch milliseconds */
function freshUntil({ expires_at: expiresAt }: HealthSystemAccess, now: number): number {
  if (expiresAt === null) return Infinity;
  const expiry = Date.parse(expiresAt);
  return expiry - Math.min(maxMarginMs, (expiry - now) / 5);
}
