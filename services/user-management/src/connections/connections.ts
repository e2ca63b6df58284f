import type { CollectionJob, ConnectionEntry, ConnectionStatus } from '@tributary/contracts';
import { type DataSource, In, Not, type Repository } from 'typeorm';
import { beginCollection, jobOf } from '../collection/collection-job';
import type { DataKeys } from '../database/data-keys';
import { deleteUnusedGrants, grantDeletionKeys } from '../grants/delete-grants';
import { grantEntity } from '../grants/grant';
import { lockUser } from '../users/user-lock';
import { type AnnouncedColumns, announcedColumns, recordConnectionEvent } from '../webhooks/webhook-outbox';
import { type Connection, connectionEntity } from './connection';
import { connectionEntryOf } from './connection-entry';

/** The table of connections: look-ups, and the changes that users request. */
export class Connections {
  readonly #connections: Repository<Connection>;

  constructor(
    private readonly database: DataSource,
    private readonly keys: DataKeys,
  ) {
    this.#connections = database.getRepository(connectionEntity);
  }

  /** The connections of a user, oldest first. */
  listOfUser(serviceUserId: number): Promise<Connection[]> {
    return this.#connections.find({ where: { serviceUserId }, order: { createdAt: 'ASC', fhirVersion: 'ASC' } });
  }

  /** The connections as the public API returns them. */
  async entriesOf(connections: readonly Connection[]): Promise<ConnectionEntry[]> {
    const grantIds = connections.flatMap(({ grantId }) => grantId ?? []);
    const grants = await this.database.getRepository(grantEntity).find({
      select: { grantId: true, scope: true, refreshable: true, expiresAt: true },
      where: { grantId: In(grantIds) },
    });
    return connections.map((connection) =>
      connectionEntryOf(
        connection,
        grants.find(({ grantId }) => grantId === connection.grantId),
      ),
    );
  }

  async findOfUser(serviceUserId: number, connectionId: string): Promise<Connection | undefined> {
    return (await this.#connections.findOneBy({ serviceUserId, connectionId })) ?? undefined;
  }

  /** The connection; undefined when unknown or revoked. */
  async findUnrevoked(connectionId: string): Promise<Connection | undefined> {
    return (await this.#connections.findOneBy({ connectionId, status: Not('revoked') })) ?? undefined;
  }

  /** The status of those of the connections that exist. */
  async statuses(connectionIds: string[]): Promise<{ connection_id: string; status: ConnectionStatus }[]> {
    const connections = await this.#connections.find({
      select: { connectionId: true, status: true },
      where: { connectionId: In(connectionIds) },
    });
    return connections.map(({ connectionId, status }) => ({ connection_id: connectionId, status }));
  }

  /**
   * Starts a new collection, unless one is in progress. One that waits to be retried is due at once.
   * @param isFull the collection reads everything, not changes only; when one is in progress, the next one does
   * @returns the job of the collection; undefined when the connection has no grant
   */
  async requestCollection(
    { connectionId }: Pick<Connection, 'connectionId'>,
    isFull: boolean,
  ): Promise<CollectionJob | undefined> {
    if (isFull)
      await this.database.query(
        `UPDATE connection SET full_collection = 'requested' WHERE connection_id = $1 AND grant_id IS NOT NULL`,
        [connectionId],
      );
    await this.database.query(
      `UPDATE connection SET ${beginCollection('gen_random_uuid()')}
       WHERE connection_id = $1 AND grant_id IS NOT NULL AND status IN ('active', 'failed', 'needs_reauthorization')`,
      [connectionId],
    );
    await this.database.query(
      `UPDATE connection SET retry_at = NULL, enqueue_at = now(), enqueue_attempts = 0
       WHERE connection_id = $1 AND status = 'collecting' AND retry_at IS NOT NULL`,
      [connectionId],
    );
    const connection = await this.#connections.findOneBy({ connectionId, status: 'collecting' });
    return connection
      ? jobOf({
          connection_id: connectionId,
          collection_id: connection.collectionId,
          fhir_base_url: connection.fhirBaseUrl,
        })
      : undefined;
  }

  /**
   * Deletes the grant, unless other connections use it, and has its tokens revoked. Collected resources stay. The event
   * is recorded once, also when two requests revoke the connection at the same time.
   */
  async revoke(
    { connectionId, serviceUserId, fhirVersion }: Pick<Connection, 'connectionId' | 'serviceUserId' | 'fhirVersion'>,
    revokedBy: 'user' | 'client',
  ): Promise<void> {
    const deletionKeys = await grantDeletionKeys(this.keys, serviceUserId);
    await this.database.transaction(async (manager) => {
      await lockUser(manager, serviceUserId);
      const [connection] = (await manager.query(
        `SELECT ${announcedColumns} FROM connection c WHERE c.connection_id = $1 AND c.status <> 'revoked' FOR UPDATE`,
        [connectionId],
      )) as AnnouncedColumns[];
      if (!connection) return;
      await manager.query(
        `UPDATE connection SET status = 'revoked', last_announced_status = NULL, grant_id = NULL, error = NULL,
         next_collection_at = NULL, retry_at = NULL WHERE connection_id = $1`,
        [connectionId],
      );
      await recordConnectionEvent(manager, 'connection.revoked', connection, { revoked_by: revokedBy });
      await deleteUnusedGrants(manager, deletionKeys, serviceUserId, fhirVersion);
    });
  }
}
