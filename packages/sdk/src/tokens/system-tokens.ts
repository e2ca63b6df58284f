import type { SystemTokenResponse } from '../api-types.ts';

interface SystemToken {
  token: string;
  /** Milliseconds since the Unix epoch. */
  expiresAt: number;
}

const renewBeforeMs = 30_000;

/**
 * Keeps the token of a client (SMART Backend Services), and requests another one when it is refused or about to expire.
 */
export class SystemTokens {
  readonly #request: () => Promise<SystemTokenResponse>;
  #current: SystemToken | undefined;
  #requested: Promise<SystemToken> | undefined;

  constructor(request: () => Promise<SystemTokenResponse>) {
    this.#request = request;
  }

  /** @param refused a token that the service refused with 401 */
  async token(refused: string | undefined): Promise<string> {
    const current = this.#current;
    if (current && current.token !== refused && current.expiresAt - renewBeforeMs > Date.now()) return current.token;
    this.#requested ??= this.#renew().finally(() => (this.#requested = undefined));
    return (await this.#requested).token;
  }

  async #renew(): Promise<SystemToken> {
    const { access_token, expires_in } = await this.#request();
    return (this.#current = { token: access_token, expiresAt: Date.now() + expires_in * 1000 });
  }
}
