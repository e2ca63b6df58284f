import type { CollectionReport, TypeProgress } from '@tributary/contracts';
import { HttpError } from '@tributary/service-kit';
import type { DataSource, EntityManager, Repository } from 'typeorm';
import { quietSeconds } from './due-collections';
import { retryPauseMs } from './retry-pause';
import { changedRows } from '../database/changed-rows';
import { announce, columnsOfEvent } from '../webhooks/webhook-outbox';
import { type Connection, connectionEntity } from '../connections/connection';
import { connectionNotFound } from '../connections/connection-errors';
import { type SettledBefore, announceStatus } from '../connections/settled-status';

const jitter = 0.1;

/**
 * How long transient failures may last before the first collection of a connection fails. A connection that has been collected before
 * stays `collecting`, and is tried about once a day for as long as the outage lasts.
 */
const firstCollectionDays = 7;

/** A collection under way, locked, with what decides how it ends. */
interface UnderWay extends SettledBefore {
  failed_attempts: number;
  /** Set while the collection waits already: a report of the same failure that comes again changes nothing. */
  retry_at: Date | null;
  /** Whether the first collection has failed for as long as it may. */
  is_given_up: boolean;
}

/** Takes the worker's reports of how far collections are. */
export class CollectionReports {
  readonly #connections: Repository<Connection>;

  /** @param collectAgainAfterMs how long after its end a collection is followed by the next; varied by a tenth, so that not all come at once */
  constructor(
    private readonly source: DataSource,
    private readonly collectAgainAfterMs: number,
  ) {
    this.#connections = source.getRepository(connectionEntity);
  }

  /**
   * A report counts while its collection is the one under way. The end of a collection may be reported again.
   * @throws HttpError 404 when the connection is forgotten, 409 when the collection is stale and should stop
   */
  async take(connectionId: string, collectionId: string, report: CollectionReport): Promise<void> {
    const isTaken =
      report.state === 'collecting'
        ? await this.#progress(connectionId, collectionId, report)
        : await this.#end(connectionId, collectionId, report);
    if (isTaken) return;
    const connection = await this.#connections.findOneBy({ connectionId });
    if (!connection || connection.status === 'revoked') throw connectionNotFound();
    const ended = report.state !== 'collecting' && connection.collectionId === collectionId;
    if (!ended) throw new HttpError(409, 'stale_collection', 'this collection is not the one under way');
  }

  /** Changes no column of an index, but where the sweep would look after this collection too late: PostgreSQL updates the row in place (HOT). */
  async #progress(connectionId: string, collectionId: string, report: CollectionReport): Promise<boolean> {
    const changed = await changedRows(
      this.source,
      `UPDATE connection SET progress = $3::jsonb, error = $4, heartbeat_at = now(),
         queue_at = CASE WHEN queue_at > now() + 2 * $5 * interval '1 second' THEN now() + $5 * interval '1 second' ELSE queue_at END
       WHERE connection_id = $1 AND collection_id = $2 AND status = 'collecting' RETURNING connection_id`,
      [connectionId, collectionId, JSON.stringify(report.types), report.error ?? null, quietSeconds],
    );
    return changed.length === 1;
  }

  /** The end of a collection or of an attempt of it, and the events that tell of it, in one step. */
  #end(connectionId: string, collectionId: string, report: CollectionReport): Promise<boolean> {
    return this.source.transaction(async (manager) => {
      const [connection] = (await manager.query(
        `SELECT ${columnsOfEvent}, c.last_announced_status, c.failed_attempts, c.retry_at,
           c.last_completed_at IS NULL AND coalesce(c.failing_since < now() - $3 * interval '1 day', false) AS is_given_up
         FROM connection c WHERE c.connection_id = $1 AND c.collection_id = $2 AND c.status = 'collecting' FOR UPDATE`,
        [connectionId, collectionId, firstCollectionDays],
      )) as UnderWay[];
      if (!connection) return false;
      if (report.state === 'completed') await this.#settle(manager, connection, report, 'active');
      else if (connection.retry_at !== null) return true;
      else if (report.failure === 'transient' && !connection.is_given_up)
        await this.#postpone(manager, connection, report);
      else await this.#settle(manager, connection, report, 'failed');
      return true;
    });
  }

  async #settle(
    manager: EntityManager,
    connection: UnderWay,
    { types, error }: CollectionReport,
    status: 'active' | 'failed',
  ): Promise<void> {
    await manager.query(
      `UPDATE connection SET status = $2, last_announced_status = $2, progress = $3::jsonb, error = $4, retry_at = NULL, failing_since = NULL, failed_attempts = 0,
         next_collection_at = now() + $5 * interval '1 millisecond',
         last_completed_at = CASE WHEN $2 = 'active' THEN now() ELSE last_completed_at END
       WHERE connection_id = $1`,
      [
        connection.connection_id,
        status,
        JSON.stringify(types),
        error ?? null,
        this.collectAgainAfterMs * (1 - jitter + 2 * jitter * Math.random()),
      ],
    );
    await announceStatus(manager, status, connection);
    if (status === 'active')
      await announce(manager, 'collection.completed', connection, { types: types.map(countsOf) });
  }

  /** The collection goes on later, where it stands. */
  async #postpone(
    manager: EntityManager,
    { connection_id, failed_attempts }: UnderWay,
    report: CollectionReport,
  ): Promise<void> {
    const pause = retryPauseMs(failed_attempts + 1, {
      longestMs: this.collectAgainAfterMs,
      retryAfterSeconds: report.retry_after_seconds,
    });
    await manager.query(
      `UPDATE connection SET progress = $2::jsonb, error = $3, failing_since = coalesce(failing_since, now()), failed_attempts = failed_attempts + 1,
         heartbeat_at = NULL, queue_checks = 0, retry_at = now() + $4 * interval '1 millisecond', queue_at = now() + $4 * interval '1 millisecond'
       WHERE connection_id = $1`,
      [connection_id, JSON.stringify(report.types), report.error ?? null, pause],
    );
  }
}

function countsOf({ type, fetched, stored, unchanged, failed }: TypeProgress): Omit<TypeProgress, 'done' | 'warnings'> {
  return { type, fetched, stored, unchanged, failed };
}
