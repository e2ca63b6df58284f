import type { ConnectionEntry, ConsentReceipt, FhirVersion, WebhookEventData } from '@tributary/contracts';
import type { DataSource } from 'typeorm';
import { requeueCollection } from '../collection/requeue-collection';
import type { ConsentEvents } from '../consent/consent-events';
import { consentReceiptOf, endReceipts, findEarlierReceipts, isConsentExpired } from '../consent/consent-receipts';
import type { DataKeys } from '../database/data-keys';
import { deleteUnusedGrants, enqueueRevocations, grantDeletionKeys } from '../grants/delete-grants';
import { lockUser } from '../users/user-lock';
import { type AnnouncedColumns, announcedColumns, recordConnectionEvent } from '../webhooks/webhook-outbox';
import { type Connection, connectionEntryOf, selectConnections } from './connection-entry';

/** The columns of a connection by which it is revoked. */
export interface RevokedConnection {
  connection_id: string;
  service_user_id: string | number;
  fhir_version: FhirVersion;
}

/** The table of connections: look-ups, and the changes that users request. */
export class Connections {
  constructor(
    private readonly database: DataSource,
    private readonly keys: DataKeys,
    private readonly consentEvents: ConsentEvents,
  ) {}

  /** The connections of a user, oldest first. */
  listOfUser(serviceUserId: number): Promise<Connection[]> {
    return this.database.query(`${selectConnections} ORDER BY c.created_at, c.fhir_version`, [serviceUserId]);
  }

  async findOfUser(serviceUserId: number, connectionId: string): Promise<Connection | undefined> {
    const [found] = (await this.database.query(`${selectConnections} AND c.connection_id = $2`, [
      serviceUserId,
      connectionId,
    ])) as Connection[];
    return found;
  }

  /**
   * The connections of a user as the public API returns them.
   * @throws UserNoLongerActive when the user is deleted meanwhile
   */
  async entriesOf(serviceUserId: number, connections: readonly Connection[]): Promise<ConnectionEntry[]> {
    if (connections.length === 0) return [];
    const key = await this.keys.ofUser(serviceUserId);
    return connections.map((connection) => connectionEntryOf(key, connection));
  }

  /**
   * The receipt of the last consent to a connection, and those of earlier ones, newest first.
   * @throws UserNoLongerActive when the user is deleted meanwhile
   */
  async consentOf(connection: Connection): Promise<ConsentReceipt & { earlier: ConsentReceipt[] }> {
    const earlier = await findEarlierReceipts(this.database, connection);
    const key = await this.keys.ofUser(connection.service_user_id);
    return { ...consentReceiptOf(key, connection), earlier: earlier.map((row) => consentReceiptOf(key, row)) };
  }

  /**
   * Revokes a connection whose consent has run out, by the clock of PostgreSQL. The sweep does that for all
   * connections; a request that could collect does it for its own, and so does not depend on when the sweep runs.
   */
  async revokeIfExpired(connectionId: string): Promise<void> {
    const [expired] = (await this.database.query(
      `SELECT connection_id, service_user_id, fhir_version FROM connection c
       WHERE connection_id = $1 AND status <> 'revoked' AND ${isConsentExpired('c')}`,
      [connectionId],
    )) as RevokedConnection[];
    if (expired) await this.revoke(expired, 'expiry');
  }

  /**
   * Starts a new collection, unless one is in progress. One that waits to be retried is due at once.
   * @param isFull the collection reads everything, not changes only; when one is in progress, the next one does
   */
  async requestCollection(connectionId: string, isFull: boolean): ReturnType<typeof requeueCollection> {
    await this.revokeIfExpired(connectionId);
    if (isFull)
      await this.database.query(
        `UPDATE connection SET full_collection = 'requested' WHERE connection_id = $1 AND grant_id IS NOT NULL`,
        [connectionId],
      );
    return requeueCollection(this.database, connectionId);
  }

  /**
   * Ends the consent, deletes the grant, unless other connections use it, and has its tokens revoked. Collected
   * resources stay. The event is recorded once, also when two requests revoke the connection at the same time.
   * @param revokedBy with `expiry`, nothing happens when the user has given a new consent meanwhile
   */
  async revoke(
    { connection_id: connectionId, service_user_id, fhir_version }: RevokedConnection,
    revokedBy: WebhookEventData<'connection.revoked'>['revoked_by'],
  ): Promise<void> {
    const serviceUserId = Number(service_user_id);
    const deletionKeys = await grantDeletionKeys(this.keys, serviceUserId);
    await this.database.transaction(async (manager) => {
      await lockUser(manager, serviceUserId);
      const [connection] = (await manager.query(
        `SELECT ${announcedColumns} FROM connection c WHERE c.connection_id = $1 AND c.status <> 'revoked'
           AND ($2 <> 'expiry' OR ${isConsentExpired('c')}) FOR UPDATE OF c`,
        [connectionId, revokedBy],
      )) as AnnouncedColumns[];
      if (!connection) return;
      await manager.query(
        `UPDATE connection SET status = 'revoked', last_announced_status = NULL, grant_id = NULL, error = NULL,
         next_collection_at = NULL, retry_at = NULL WHERE connection_id = $1`,
        [connectionId],
      );
      await endReceipts(manager, [connectionId], revokedBy);
      await recordConnectionEvent(manager, 'connection.revoked', connection, { revoked_by: revokedBy });
      await enqueueRevocations(manager, deletionKeys, await deleteUnusedGrants(manager, serviceUserId, fhir_version));
    });
    await this.consentEvents.record();
  }
}
