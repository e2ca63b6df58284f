import { type TokenRevocation, tokenRevocation, tokenRevocationChannel } from '@tributary/contracts';
import { describeError, unavailable } from '@tributary/service-kit';
import type { Redis } from 'ioredis';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { inTransaction } from '../database/transaction';

const everyMs = 1000;
const batch = 100;

/** Whoever made a revocation publishes it; it is left when that has not happened after this time. */
const leftAfterSeconds = 1;

/** No replica remembers a token for longer than 30 s (service kit, `AccessTokens`), so a message that is older is of no use to any. */
const usefulSeconds = 60;

/** Replicas skip the rows that another one is publishing. */
const takeUnpublished = `
  DELETE FROM revocation_outbox WHERE id IN (
    SELECT id FROM revocation_outbox WHERE created_at <= clock_timestamp() - $1 * interval '1 second' ORDER BY id LIMIT ${batch} FOR UPDATE SKIP LOCKED)
  RETURNING message, created_at > clock_timestamp() - interval '${usefulSeconds} seconds' AS is_useful`;

/** Puts a revocation into the outbox, in the transaction that makes it, and gives its id there. */
export async function putIntoOutbox(client: PoolClient, revocation: TokenRevocation): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    'INSERT INTO revocation_outbox (message) VALUES ($1) RETURNING id',
    [JSON.stringify(revocation)],
  );
  return rows[0]!.id;
}

/**
 * Publishes to every replica of every service which tokens stopped working. A revocation is written to an outbox in the transaction that makes it, and
 * removed from there once it is published. What is left, because Redis was away or a process ended in between, any replica of auth publishes within
 * about two seconds of being able to. A message may be published twice.
 */
export class RevocationChannel {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly pool: Pool,
    private readonly redis: Redis,
    private readonly log: Logger,
  ) {}

  /** Publishes from now on what was left, every second. */
  start(): void {
    this.#timer = setInterval(() => this.#relayQuietly(), everyMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /**
   * Publishes a revocation that has been committed.
   * @param id of its row in the outbox
   * @throws HttpError 503 when it could not be published: the tokens are revoked, but some replica may accept them for up to 30 s
   */
  async tell(id: string, revocation: TokenRevocation): Promise<void> {
    await this.#publish(revocation);
    await this.pool
      .query({ name: 'published-revocation', text: 'DELETE FROM revocation_outbox WHERE id = $1', values: [id] })
      .catch((error: unknown) => this.log.warn({ err: describeError(error) }, 'a revocation will be published twice'));
  }

  /**
   * Publishes what could not be published before.
   * @throws HttpError 503 when something is left
   */
  async catchUp(): Promise<void> {
    await this.#relay(0);
    const { rowCount } = await this.pool.query('SELECT FROM revocation_outbox LIMIT 1');
    if (rowCount !== 0) throw notPublished();
  }

  async #publish(revocation: TokenRevocation): Promise<void> {
    try {
      await this.redis.publish(tokenRevocationChannel, JSON.stringify(revocation));
    } catch (error) {
      this.log.warn({ err: describeError(error) }, 'a revocation waits to be published');
      throw notPublished();
    }
  }

  /** Rows leave the outbox when all of a batch have been published: else the transaction is rolled back. */
  async #relay(leftAfter: number): Promise<void> {
    for (let taken = batch; taken === batch;) {
      taken = await inTransaction(this.pool, async (client) => {
        const { rows } = await client.query<{ message: unknown; is_useful: boolean }>(takeUnpublished, [leftAfter]);
        const revocations = rows
          .filter(({ is_useful }) => is_useful)
          .map(({ message }) => tokenRevocation.parse(message));
        await Promise.all(revocations.map((revocation) => this.#publish(revocation)));
        return rows.length;
      });
    }
  }

  #relayQuietly(): void {
    if (this.redis.status !== 'ready') return;
    this.#running = this.#running
      .then(() => this.#relay(leftAfterSeconds))
      .catch((error: unknown) => this.log.warn({ err: describeError(error) }, 'revocations wait to be published'));
  }
}

function notPublished(): Error {
  return unavailable('the revocation could not be made known everywhere yet; try again shortly');
}
