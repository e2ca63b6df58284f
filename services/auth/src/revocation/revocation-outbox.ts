import { type TokenRevocation, tokenRevocation, tokenRevocationChannel } from '@tributary/contracts';
import {
  type RedisClient,
  type PeriodicTask,
  describeError,
  startPeriodicTask,
  unavailable,
} from '@tributary/service-kit';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { inRetriedTransaction } from '../database/transaction';

const relayIntervalMs = 1000;
const batchSize = 100;

/** The process that commits a revocation publishes it. Other replicas take over rows that are older than this. */
const relayAfterSeconds = 1;

/** Services cache a token for at most 30 s (`AccessTokens` of service-kit), so an older message has no effect. */
const maxUsefulAgeSeconds = 60;

/**
 * Deletes the rows to publish; rows that another replica is publishing are locked and skipped. $1 minimum age in
 * seconds.
 */
const takeUnpublished = `
  DELETE FROM revocation_outbox WHERE id IN (
    SELECT id FROM revocation_outbox WHERE created_at <= clock_timestamp() - $1 * interval '1 second' ORDER BY id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
  RETURNING id, message, created_at > clock_timestamp() - interval '${maxUsefulAgeSeconds} seconds' AS is_useful`;

interface OutboxRow {
  id: string;
  message: unknown;
  is_useful: boolean;
}

/**
 * Adds a revocation to the outbox, in the transaction that deletes the tokens.
 * @returns the id of the outbox row
 */
export async function addToOutbox(client: PoolClient, revocation: TokenRevocation): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    'INSERT INTO revocation_outbox (message) VALUES ($1) RETURNING id',
    [JSON.stringify(revocation)],
  );
  return rows[0]!.id;
}

/**
 * Transactional outbox of revocations: publishes to every replica of every service which tokens stopped working.
 *
 * A revocation is inserted in the transaction that deletes the tokens, and deleted when it has been published to Redis.
 * Rows that are left over, because Redis was down or a process ended in between, are published by any replica within
 * about two seconds of being able to. A message can be published twice.
 */
export class RevocationOutbox {
  #relayTask: PeriodicTask | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly redis: RedisClient,
    private readonly log: Logger,
  ) {}

  /** Starts publishing left-over rows, once a second while Redis is connected. */
  start(): void {
    this.#relayTask = startPeriodicTask({
      name: 'the relay of the outbox of revocations',
      intervalMs: relayIntervalMs,
      run: async () => {
        if (this.redis.status === 'ready') await this.#relay(relayAfterSeconds);
      },
      log: this.log,
    });
  }

  async stop(): Promise<void> {
    await this.#relayTask?.stop();
  }

  /**
   * Publishes a committed revocation and deletes its row.
   * @throws HttpError 503 when it could not be published: services may accept the tokens for up to 30 s
   */
  async publish(outboxId: string, revocation: TokenRevocation): Promise<void> {
    await this.#send(revocation);
    await this.pool
      .query({ name: 'delete-published', text: 'DELETE FROM revocation_outbox WHERE id = $1', values: [outboxId] })
      .catch((error: unknown) =>
        this.log.warn({ err: describeError(error) }, 'a published revocation stays in the outbox and is sent again'),
      );
  }

  /**
   * Publishes every row of the outbox.
   * @throws HttpError 503 when a row is left
   */
  async flush(): Promise<void> {
    await this.#relay(0);
    const { rowCount } = await this.pool.query('SELECT FROM revocation_outbox LIMIT 1');
    if (rowCount !== 0) throw notPublished();
  }

  async #send(revocation: TokenRevocation): Promise<void> {
    try {
      await this.redis.publish(tokenRevocationChannel, JSON.stringify(revocation));
    } catch (error) {
      this.log.warn({ err: describeError(error) }, 'a revocation could not be published; it stays in the outbox');
      throw notPublished();
    }
  }

  /** A row that cannot be read must not keep the others of its batch in the outbox. */
  #read({ id, message }: OutboxRow): TokenRevocation[] {
    const { data } = tokenRevocation.safeParse(message);
    if (data === undefined) this.log.error({ id }, 'a revocation in the outbox cannot be read and is not published');
    return data === undefined ? [] : [data];
  }

  /** The rows of a batch are deleted only when all of them have been published; else the transaction is rolled back. */
  async #relay(minAgeSeconds: number): Promise<void> {
    for (let taken = batchSize; taken === batchSize;) {
      taken = await inRetriedTransaction(this.pool, async (client) => {
        const { rows } = await client.query<OutboxRow>(takeUnpublished, [minAgeSeconds]);
        const revocations = rows.filter(({ is_useful }) => is_useful).flatMap((row) => this.#read(row));
        await Promise.all(revocations.map((revocation) => this.#send(revocation)));
        return rows.length;
      });
    }
  }
}

function notPublished(): Error {
  return unavailable('the revocation could not be published to all services yet; try again shortly');
}
