import type { RateLimits, RequestLimit } from '@tributary/service-kit';
import { accountKey } from '../sign-in/attempts';

/** Limits the mails that anybody can cause to one address. Notices of changes are always sent. */
export class MailLimit {
  readonly #limit: RequestLimit | undefined;

  constructor(limits: RateLimits) {
    this.#limit = limits.limit('console-mail');
  }

  /** Counts a mail. @returns whether it may be sent */
  async allows(to: string): Promise<boolean> {
    return (await this.#limit?.take(accountKey(to)))?.allowed ?? true;
  }
}
