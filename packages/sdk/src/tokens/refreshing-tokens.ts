import { ApiError } from '../http/errors.ts';
import { pause } from '../http/retry.ts';
import { type StoredTokens, type TokenSet, type TokenStore, newStoredTokens } from './token-store.ts';

export interface RefreshOptions {
  /** Exchanges the refresh token; a rejection with an ApiError means that the request has ended. */
  refresh: (refreshToken: string, signal: AbortSignal) => Promise<TokenSet>;
  /** Obtains tokens when the refresh token is no longer accepted, for example by another code of the user. */
  renew?: (() => Promise<TokenSet>) | undefined;
  /** Milliseconds before its expiry at which an access token is refreshed; 60,000 by default. */
  refreshBeforeMs?: number | undefined;
  /**
   * How long another process that began a refresh is waited for, in milliseconds; 30,000 by default. It must be shorter
   * than the 60 seconds within which the service accepts the same refresh token again: after a process was killed
   * between the response and its storage, the next one repeats the refresh.
   */
  leaseMs?: number | undefined;
}

const pollMs = 200;

/**
 * Returns a valid access token, and refreshes the tokens once at a time: concurrent calls of one process share a
 * request, and the store admits one process. An access token stays valid after its refresh, so no call is interrupted.
 */
export class RefreshingTokens {
  readonly #store: TokenStore;
  readonly #options: RefreshOptions;
  readonly #leaseMs: number;
  #refreshing: Promise<string> | undefined;
  /** The version by which this process announced a refresh whose outcome it does not know. */
  #ownLease: string | undefined;

  constructor(store: TokenStore, options: RefreshOptions) {
    this.#store = store;
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 30_000;
  }

  /**
   * @param refused an access token that the service refused with 401
   * @throws the reason of the signal, or the error of the refresh if the stored access token has expired or is the
   *   refused one
   */
  async accessToken({
    refused,
    signal,
  }: { refused?: string | undefined; signal?: AbortSignal | undefined } = {}): Promise<string> {
    const stored = await this.#store.load();
    const validMs = stored.expires_at - Date.now();
    if (stored.access_token !== refused && validMs > (this.#options.refreshBeforeMs ?? 60_000))
      return stored.access_token;
    this.#refreshing ??= this.#refresh(stored.access_token, stored.access_token === refused).finally(
      () => (this.#refreshing = undefined),
    );
    const refreshed = this.#refreshing.catch((error: unknown) => {
      if (stored.access_token !== refused && stored.expires_at > Date.now()) return stored.access_token;
      throw error;
    });
    return abortable(refreshed, signal);
  }

  /**
   * @param stale the access token to replace
   * @param isRefused whether it cannot be used while another process refreshes it
   */
  async #refresh(stale: string, isRefused: boolean): Promise<string> {
    let seenVersion: string | undefined;
    let seenAt = 0;
    for (;;) {
      const stored = await this.#store.load();
      if (stored.access_token !== stale) return stored.access_token;
      if (stored.version !== seenVersion) {
        seenVersion = stored.version;
        seenAt = performance.now();
      }
      if (this.#isLeased(stored, seenAt)) {
        if (!isRefused && stored.expires_at > Date.now()) return stale;
        await pause(pollMs * (0.5 + Math.random()));
        continue;
      }
      const leased = { ...newStoredTokens(stored), refresh_started_at: Date.now() };
      if (!(await this.#store.compareAndSet(stored.version, leased))) continue;
      const token = await this.#refreshUnderLease(leased);
      if (token !== undefined) return token;
    }
  }

  /**
   * Whether another process refreshes the tokens. The second condition holds when the clocks of the processes differ.
   */
  #isLeased({ version, refresh_started_at }: StoredTokens, seenAt: number): boolean {
    if (refresh_started_at === undefined || version === this.#ownLease) return false;
    return Date.now() - refresh_started_at < this.#leaseMs && performance.now() - seenAt < this.#leaseMs;
  }

  /** @returns undefined when another process took over, because this one was stopped for longer than the lease */
  async #refreshUnderLease(leased: StoredTokens): Promise<string | undefined> {
    this.#ownLease = leased.version;
    let tokens: TokenSet;
    try {
      tokens = await this.#exchange(leased.refresh_token);
    } catch (error) {
      // Without a response the request can still arrive: the announcement stays, and other processes wait.
      if (error instanceof ApiError) await this.#store.compareAndSet(leased.version, newStoredTokens(leased));
      throw error;
    }
    const next = newStoredTokens(tokens);
    const isStored = await this.#store.compareAndSet(leased.version, next);
    this.#ownLease = undefined;
    return isStored ? next.access_token : undefined;
  }

  async #exchange(refreshToken: string): Promise<TokenSet> {
    const { refresh, renew } = this.#options;
    try {
      return await refresh(refreshToken, AbortSignal.timeout(this.#leaseMs * 0.8));
    } catch (error) {
      if (renew && error instanceof ApiError && error.code === 'invalid_grant') return renew();
      throw error;
    }
  }
}

/** The result of a shared operation, for one caller that may leave. */
function abortable<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return shared;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
