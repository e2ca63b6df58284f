import type { ConnectionsClient, HealthSystemAccess } from '@tributary/contracts';

/** A token that ends within this time is fetched anew before it is used. */
const marginMs = 15_000;

/** The connection's access token at the health system, kept in memory only. Requests side by side share one refresh. */
export class AccessToken {
  #current: HealthSystemAccess | undefined;
  #pending: Promise<HealthSystemAccess> | undefined;

  constructor(
    private readonly connections: ConnectionsClient,
    private readonly connectionId: string,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws NeedsReauthorization when the grant is gone */
  async get(): Promise<HealthSystemAccess> {
    const current = this.#current;
    if (current && (current.expires_at === null || Date.parse(current.expires_at) - marginMs > Date.now())) return current;
    return this.#fetch(undefined);
  }

  /** A token other than the refused one. */
  async renew(refused: HealthSystemAccess): Promise<HealthSystemAccess> {
    if (this.#current && this.#current.token_id !== refused.token_id) return this.#current;
    return this.#fetch(refused.token_id);
  }

  #fetch(refusedTokenId: string | undefined): Promise<HealthSystemAccess> {
    this.#pending ??= this.connections.accessToken(this.connectionId, refusedTokenId, { signal: this.signal }).then(
      (access) => {
        this.#current = access;
        this.#pending = undefined;
        return access;
      },
      (error: unknown) => {
        this.#pending = undefined;
        throw error;
      },
    );
    return this.#pending;
  }
}
