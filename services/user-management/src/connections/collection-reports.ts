import type { CollectionReport } from '@tributary/contracts';
import { HttpError } from '@tributary/service-kit';
import type { DataSource, Repository } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import { type Connection, connectionEntity } from './connection';
import { connectionNotFound } from './connection-errors';

const statusAfter = { collecting: 'collecting', completed: 'active', failed: 'failed' } as const;
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

  async #apply(connectionId: string, collectionId: string, report: CollectionReport): Promise<boolean> {
    const again = new Date(Date.now() + this.collectAgainAfterMs * (1 - jitter + 2 * jitter * Math.random()));
    const changed = await changedRows(
      this.source,
      `UPDATE connection SET status = $3, progress = $4::jsonb, error = $5,
         last_completed_at = CASE WHEN $3 = 'active' THEN now() ELSE last_completed_at END,
         next_collection_at = CASE WHEN $3 = 'collecting' THEN NULL ELSE $6::timestamptz END,
         queued_at = CASE WHEN $3 = 'collecting' THEN now() ELSE queued_at END
       WHERE connection_id = $1 AND collection_id = $2 AND status = 'collecting' RETURNING connection_id`,
      [connectionId, collectionId, statusAfter[report.state], JSON.stringify(report.types), report.error ?? null, again],
    );
    return changed.length === 1;
  }
}
