import type { CollectionJob, ConnectionStatus } from '@tributary/contracts';
import { type DataSource, In, Not, type Repository } from 'typeorm';
import { beginCollection, jobOf } from '../collection/collection-job';
import type { Grant } from '../grants/grant';
import { columnsOfEvent } from '../webhooks/webhook-outbox';
import { type Connection, connectionEntity } from './connection';
import { type ForgetGrants, lockUser } from '../grants/delete-grants';
import { type SettledBefore, announceStatus } from './settled-status';

/** The connections of users, and what their owners do with them. */
export class Connections {
  readonly #connections: Repository<Connection>;

  constructor(
    private readonly source: DataSource,
    private readonly grants: ForgetGrants,
  ) {
    this.#connections = source.getRepository(connectionEntity);
  }

  /** Oldest first. */
  ofUser(serviceUserId: number): Promise<Connection[]> {
    return this.#connections.find({ where: { serviceUserId }, order: { createdAt: 'ASC', fhirVersion: 'ASC' } });
  }

  async findOfUser(serviceUserId: number, connectionId: string): Promise<Connection | undefined> {
    return (await this.#connections.findOneBy({ serviceUserId, connectionId })) ?? undefined;
  }

  /** The connection, unless revoked. */
  async findLive(connectionId: string): Promise<Connection | undefined> {
    return (await this.#connections.findOneBy({ connectionId, status: Not('revoked') })) ?? undefined;
  }

  /** Those of the connections that exist. */
  async statuses(connectionIds: string[]): Promise<{ connection_id: string; status: ConnectionStatus }[]> {
    const found = await this.#connections.find({
      select: { connectionId: true, status: true },
      where: { connectionId: In(connectionIds) },
    });
    return found.map(({ connectionId, status }) => ({ connection_id: connectionId, status }));
  }

  /**
   * Asks for a collection from the beginning, unless one is under way; one that waits for its health system goes on at once.
   * @returns its job, or that of the one under way; undefined when the tokens are gone
   */
  async requestCollection({ connectionId }: Pick<Connection, 'connectionId'>): Promise<CollectionJob | undefined> {
    await this.source.query(
      `UPDATE connection SET ${beginCollection('gen_random_uuid()')}
       WHERE connection_id = $1 AND grant_id IS NOT NULL AND status IN ('active', 'failed', 'needs_reauthorization')`,
      [connectionId],
    );
    await this.source.query(
      `UPDATE connection SET retry_at = NULL, queue_at = now(), queue_checks = 0 WHERE connection_id = $1 AND status = 'collecting' AND retry_at IS NOT NULL`,
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

  /** Forgets the tokens and has them revoked; what was collected stays. A grant that serves other connections too goes with the last of them. */
  async revoke({
    connectionId,
    serviceUserId,
    fhirVersion,
  }: Pick<Connection, 'connectionId' | 'serviceUserId' | 'fhirVersion'>): Promise<void> {
    const keys = await this.grants.keys(serviceUserId);
    await this.source.transaction(async (manager) => {
      await lockUser(manager, serviceUserId);
      await manager.query(
        `UPDATE connection SET status = 'revoked', last_announced_status = NULL, grant_id = NULL, error = NULL, next_collection_at = NULL, retry_at = NULL WHERE connection_id = $1`,
        [connectionId],
      );
      await this.grants.forgetUnused(manager, serviceUserId, keys, fhirVersion);
    });
  }

  /** The health system takes the grant no more, and only a new authorization helps: the tokens go. */
  async lost({ grantId, serviceUserId }: Pick<Grant, 'grantId' | 'serviceUserId'>): Promise<void> {
    await this.source.transaction(async (manager) => {
      await lockUser(manager, serviceUserId);
      const affected = (await manager.query(
        `SELECT ${columnsOfEvent}, c.last_announced_status FROM connection c WHERE c.grant_id = $1 AND c.status <> 'revoked' ORDER BY c.connection_id FOR UPDATE`,
        [grantId],
      )) as SettledBefore[];
      await manager.query(
        `UPDATE connection SET status = 'needs_reauthorization', last_announced_status = 'needs_reauthorization', next_collection_at = NULL, retry_at = NULL,
           error = 'the health system no longer accepts this connection; connect again'
         WHERE grant_id = $1 AND status <> 'revoked'`,
        [grantId],
      );
      for (const connection of affected) await announceStatus(manager, 'needs_reauthorization', connection);
      await manager.query('DELETE FROM health_system_grant WHERE grant_id = $1', [grantId]);
    });
  }
}
