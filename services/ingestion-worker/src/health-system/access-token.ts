import { type ConnectionsClient, type HealthSystemAccess, InternalCallError } from '@tributary/contracts';
import type { Patiently } from '../own-services/patiently';
import { HealthSystemUnreachable } from './health-system-unreachable';

/** A token that ends within this time is asked for anew before it is used; of short-lived ones, within a fifth of their life. */
const longestMarginMs = 15_000;

interface Held {
  access: HealthSystemAccess;
  freshUntil: number;
}

/** The connection's access token at the health system, kept in memory only. Requests side by side share one refresh. */
export class AccessToken {
  #held: Held | undefined;
  #pending: Promise<HealthSystemAccess> | undefined;

  constructor(
    private readonly connections: ConnectionsClient,
    private readonly connectionId: string,
    private readonly patiently: Patiently,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * A token to use now.
   * @throws NeedsReauthorization when the grant is gone
   * @throws HealthSystemUnreachable when the health system does not renew it
   */
  async get(): Promise<HealthSystemAccess> {
    if (this.#held && this.#held.freshUntil > Date.now()) return this.#held.access;
    return this.#fetch(undefined);
  }

  /** The newest token that is known, if any. */
  get newest(): HealthSystemAccess | undefined {
    return this.#held?.access;
  }

  /** A token other than the refused one. */
  async renew(refused: HealthSystemAccess): Promise<HealthSystemAccess> {
    const coming = this.#pending ? await this.#pending : this.#held?.access;
    return coming && coming.token_id !== refused.token_id ? coming : this.#fetch(refused.token_id);
  }

  #fetch(refusedTokenId: string | undefined): Promise<HealthSystemAccess> {
    this.#pending ??= this.#ask(refusedTokenId).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #ask(refusedTokenId: string | undefined): Promise<HealthSystemAccess> {
    try {
      const access = await this.patiently(() =>
        this.connections.accessToken(this.connectionId, refusedTokenId, { signal: this.signal }),
      );
      this.#held = { access, freshUntil: freshUntil(access, Date.now()) };
      return access;
    } catch (error) {
      // What our own service says of the health system: it does not renew the access at the moment.
      if (error instanceof InternalCallError && error.status === 503)
        throw new HealthSystemUnreachable(503, 'does not renew its access at the moment');
      throw error;
    }
  }
}

function freshUntil({ expires_at: expiresAt }: HealthSystemAccess, now: number): number {
  if (expiresAt === null) return Infinity;
  const end = Date.parse(expiresAt);
  return end - Math.min(longestMarginMs, (end - now) / 5);
}
