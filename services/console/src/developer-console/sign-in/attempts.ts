import { createHash } from 'node:crypto';
import type { BlockList } from 'node:net';
import { type RateLimits, type RequestLimit, addressKey, clientAddress, takeAll } from '@tributary/service-kit';
import type { Request } from 'express';

/**
 * Limits wrong passwords and codes, of an account and from an address. An attempt is counted before it is verified, so
 * that concurrent ones are limited too, and is given back unless it was wrong. An address without an account is counted
 * like one with an account. Without Redis nothing is verified.
 */
export class Attempts {
  readonly #ofAccount: RequestLimit | undefined;
  readonly #ofAddress: RequestLimit | undefined;

  constructor(
    limits: RateLimits,
    private readonly trustedProxies: BlockList,
  ) {
    this.#ofAccount = limits.limit('console-failed-account', 'refuse');
    this.#ofAddress = limits.limit('console-failed-address', 'refuse');
  }

  /**
   * @param account its address, which need not exist; or its id where the password was verified, so that nobody who
   * does not know the password can keep the owner from the second factor
   * @param verify returns undefined when the password or the code is wrong; an error is no failure
   * @throws HttpError 429 with `Retry-After`; 503 when Redis is not available
   */
  async verify<T>(request: Request, account: string, verify: () => Promise<T | undefined>): Promise<T | undefined> {
    const counted = [
      { limit: this.#ofAddress, key: addressKey(clientAddress(request, this.trustedProxies)) },
      { limit: this.#ofAccount, key: accountKey(account) },
    ].flatMap(({ limit, key }) => (limit ? [{ limit, key }] : []));
    await takeAll(counted);
    let isWrong = false;
    try {
      const verified = await verify();
      isWrong = verified === undefined;
      return verified;
    } finally {
      if (!isWrong) for (const { limit, key } of counted) limit.giveBack(key);
    }
  }
}

/** What an account is counted by in Redis, which is to know no address. */
export function accountKey(emailOrId: string): string {
  return createHash('sha256').update(emailOrId.toLowerCase()).digest('base64url').slice(0, 22);
}
