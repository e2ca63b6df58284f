import type { ScopedKeys } from '@tributary/key-vault';
import { type PeriodicTask, inTransaction, startPeriodicTask } from '@tributary/service-kit';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { SendMail } from './smtp';
import type { Mail } from './mails';

const intervalMs = 1000;
const batchSize = 5;
const associatedData = 'mail';

/**
 * Takes due mails for one attempt each. Until the attempt is reported, the mail is due again later, so that a killed
 * process loses none: after 1 min, 2 min, 4 min … and at most an hour. An attempt takes less than a minute
 * (`smtp.ts`). Rows that another replica takes at the moment are skipped.
 */
const takeDue = `
  UPDATE mail_outbox SET attempts = attempts + 1, due_at = now() + least(60 * power(2, least(attempts, 10)), 3600) * interval '1 second'
  WHERE id IN (SELECT id FROM mail_outbox WHERE due_at <= now() AND expires_at > now()
    ORDER BY due_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
  RETURNING id, sealed, attempts`;

/**
 * A transactional outbox of mails: a mail is committed with the change that it is about, sealed, since it can have the
 * token of a link. It is deleted when it was sent, or after a day. A mail can be sent twice when a process is killed in
 * between.
 */
export class MailOutbox {
  constructor(
    private readonly pool: Pool,
    private readonly keys: ScopedKeys,
    private readonly sendMail: SendMail,
    private readonly log: Logger,
  ) {}

  /**
   * Runs work in a transaction that can add mails. The key is loaded before, since that can take another connection.
   * @param work gets what adds a mail
   */
  async transaction<T>(work: (on: PoolClient, send: (mail: Mail) => Promise<void>) => Promise<T>): Promise<T> {
    const key = await this.keys.keyFor('mail');
    return inTransaction(this.pool, (on) =>
      work(on, async (mail) => {
        const sealed = key.sealText(JSON.stringify(mail), associatedData);
        await on.query('INSERT INTO mail_outbox (sealed) VALUES ($1)', [sealed]);
      }),
    );
  }

  /** Starts sending. */
  start(): PeriodicTask {
    return startPeriodicTask({
      name: 'sending mails',
      intervalMs,
      runsAtStart: true,
      run: async () => {
        await this.#giveUpExpired();
        return (await this.sendDue()) === batchSize;
      },
      log: this.log,
    });
  }

  /** Sends due mails. @returns how many were tried */
  async sendDue(): Promise<number> {
    const { rows } = await this.pool.query<{ id: string; sealed: Buffer; attempts: number }>(takeDue);
    if (rows.length === 0) return 0;
    const key = await this.keys.keyFor('mail');
    await Promise.all(
      rows.map(async ({ id, sealed, attempts }) => {
        try {
          await this.sendMail(JSON.parse(key.openText(sealed, associatedData)) as Mail);
        } catch (error) {
          // The message of a mail server can name the recipient.
          const { name, code = name, responseCode } = error as Error & { code?: unknown; responseCode?: unknown };
          this.log.warn(
            { id, attempts, smtp: { error: code, status: responseCode } },
            'a mail could not be sent; it is tried again',
          );
          return;
        }
        await this.pool.query('DELETE FROM mail_outbox WHERE id = $1', [id]);
      }),
    );
    return rows.length;
  }

  async #giveUpExpired(): Promise<void> {
    const { rows } = await this.pool.query<{ id: string; attempts: number }>(
      'DELETE FROM mail_outbox WHERE expires_at <= now() RETURNING id, attempts',
    );
    for (const { id, attempts } of rows)
      this.log.error({ id, attempts }, 'a mail could not be sent in a day, and is given up');
  }
}
