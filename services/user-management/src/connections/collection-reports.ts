import type { CollectionReport, TypeProgress } from '@tributary/contracts';
import { HttpError } from '@tributary/service-kit';
import type { DataSource, Repository } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import { announce, columnsOfEvent } from '../webhooks/webhook-outbox';
import { type Connection, connectionEntity } from './connection';
import { connectionNotFound } from './connection-errors';
import { type SettledBefore, announceStatus } from './settled-status';

const statusAfter = { completed: 'active', failed: 'failed' } as const;
const jitter = 0.1;

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
    if (await this.#apply(connectionId, collectionId, report)) return;
    const connection = await this.#connections.findOneBy({ connectionId });
    if (!connection || connection.status === 'revoked') throw connectionNotFound();
    const ended = report.state !== 'collecting' && connection.collectionId === collectionId;
    if (!ended) throw new HttpError(409, 'stale_collection', 'this collection is not the one under way');
  }

  #apply(connectionId: string, collectionId: string, report: CollectionReport): Promise<boolean> {
    return report.state === 'collecting' ? this.#progress(connectionId, collectionId, report) : this.#end(connectionId, collectionId, report, statusAfter[report.state]);
  }

  async #progress(connectionId: string, collectionId: string, report: CollectionReport): Promise<boolean> {
    const changed = await changedRows(
      this.source,
      `UPDATE connection SET progress = $3::jsonb, error = $4, next_collection_at = NULL, queued_at = now()
       WHERE connection_id = $1 AND collection_id = $2 AND status = 'collecting' RETURNING connection_id`,
      [connectionId, collectionId, JSON.stringify(report.types), report.error ?? null],
    );
    return changed.length === 1;
  }

  /** The end of a collection, and the events that tell of it, in one step. */
  #end(connectionId: string, collectionId: string, report: CollectionReport, status: 'active' | 'failed'): Promise<boolean> {
    const again = new Date(Date.now() + this.collectAgainAfterMs * (1 - jitter + 2 * jitter * Math.random()));
    return this.source.transaction(async (manager) => {
      const [connection] = (await manager.query(
        `SELECT ${columnsOfEvent}, c.settled_status FROM connection c WHERE c.connection_id = $1 AND c.collection_id = $2 AND c.status = 'collecting' FOR UPDATE`,
        [connectionId, collectionId],
      )) as SettledBefore[];
      if (!connection) return false;
      await manager.query(
        `UPDATE connection SET status = $2, settled_status = $2, progress = $3::jsonb, error = $4, next_collection_at = $5,
           last_completed_at = CASE WHEN $2 = 'active' THEN now() ELSE last_completed_at END
         WHERE connection_id = $1`,
        [connectionId, status, JSON.stringify(report.types), report.error ?? null, again],
      );
      await announceStatus(manager, status, connection);
      if (status === 'active') await announce(manager, 'collection.completed', connection, { types: report.types.map(countsOf) });
      return true;
    });
  }
}

function countsOf({ type, fetched, stored, unchanged, failed }: TypeProgress): Omit<TypeProgress, 'done' | 'warnings'> {
  return { type, fetched, stored, unchanged, failed };
}
