import { type RateLimits, type RequestLimit, takeAll } from '@tributary/service-kit';
import { accountKey } from '../sign-in/attempts';

/** Limits the mails that anybody can cause to one address. Notices of changes are always sent. */
export class MailLimit {
  readonly #limit: RequestLimit | undefined;
  readonly #invitations: RequestLimit | undefined;

  constructor(limits: RateLimits) {
    this.#limit = limits.limit('console-mail');
    this.#invitations = limits.limit('console-invitations');
  }

  /** Counts a mail. @returns whether it may be sent */
  async allows(to: string): Promise<boolean> {
    return (await this.#limit?.take(accountKey(to)))?.allowed ?? true;
  }

  /**
   * Counts an invitation, whose sender is known: by the account, and by the organisation and the address.
   * @throws HttpError 429 with `Retry-After`
   */
  async takeInvitation(accountId: string, organisationId: string, to: string): Promise<void> {
    await takeAll(
      [
        { limit: this.#invitations, key: accountId },
        { limit: this.#limit, key: accountKey(`${organisationId} ${to}`) },
      ].flatMap(({ limit, key }) => (limit ? [{ limit, key }] : [])),
    );
  }
}
