import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { RateLimits } from '../rate-limit/rate-limits';
import type { RequestLimit } from '../rate-limit/request-limit';
import { assertTokensLeft } from '../rate-limit/take-all';
import { addressKey, clientAddress } from '../transport/client-address';

/** Limits how often an address sends access tokens that are not valid. All services share the counts. */
export class FailedTokens {
  readonly #limit: RequestLimit | undefined;

  constructor(
    limits: RateLimits,
    private readonly trustedProxies: BlockList,
  ) {
    this.#limit = limits.limit('failed-tokens');
  }

  /** @throws HttpError 429 when the address of the request has sent too many */
  check(request: IncomingMessage): void {
    if (this.#limit) assertTokensLeft({ limit: this.#limit, key: this.#keyOf(request) });
  }

  async count(request: IncomingMessage): Promise<void> {
    await this.#limit?.take(this.#keyOf(request));
  }

  #keyOf(request: IncomingMessage): string {
    return addressKey(clientAddress(request, this.trustedProxies));
  }
}
