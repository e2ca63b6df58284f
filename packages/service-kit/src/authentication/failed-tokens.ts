import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { z } from 'zod';
import { limitSetting } from '../rate-limit/limit-setting';
import type { RateLimits } from '../rate-limit/rate-limits';
import type { RequestLimit } from '../rate-limit/request-limit';
import { assertTokensLeft } from '../rate-limit/take-all';
import { addressKey, clientAddress } from '../transport/client-address';

/** The environment variables of services that accept access tokens. */
export const accessTokenConfig = z.object({
  LIMIT_FAILED_TOKENS: limitSetting('6000/60').describe(
    'requests of an address whose access token is not valid, as requests/seconds, or off; further tokens from the address are not looked up',
  ),
});

interface FailedTokensOptions extends z.output<typeof accessTokenConfig> {
  TRUSTED_PROXIES: BlockList;
}

/** Limits how often an address sends access tokens that are not valid. All services share the counts. */
export class FailedTokens {
  readonly #limit: RequestLimit | undefined;
  readonly #trustedProxies: BlockList;

  constructor(limits: RateLimits, { LIMIT_FAILED_TOKENS, TRUSTED_PROXIES }: FailedTokensOptions) {
    this.#limit = limits.limit('failed-tokens', LIMIT_FAILED_TOKENS);
    this.#trustedProxies = TRUSTED_PROXIES;
  }

  /** @throws HttpError 429 when the address of the request has sent too many */
  check(request: IncomingMessage): void {
    if (this.#limit) assertTokensLeft({ limit: this.#limit, key: this.#keyOf(request) });
  }

  async count(request: IncomingMessage): Promise<void> {
    await this.#limit?.take(this.#keyOf(request));
  }

  #keyOf(request: IncomingMessage): string {
    return addressKey(clientAddress(request, this.#trustedProxies));
  }
}
