import type { Grant } from '../grants/grant';
import { endReceipts } from '../consent/consent-receipts';
import type { Dependencies } from '../dependencies';
import { lockUser } from '../users/user-lock';
import { recordRefreshFailure } from '../outcomes/connect-outcomes';
import { type LostGrantReason, reauthorizationRequired } from './connection-errors';
import { type AnnouncedColumns, announcedColumns, recordStatusEvent } from '../webhooks/webhook-outbox';

/**
 * A grant cannot be used any more, and only a new authorization helps: deletes the grant, sets its connections to
 * `needs_reauthorization`, ends their consents, and records the event for webhooks and the outcome for the operator.
 * Does nothing when the grant is deleted already, or when another process has refreshed it meanwhile: the refusal was
 * about its old tokens.
 */
export async function requireReauthorization(
  { database, consentEvents }: Dependencies,
  { grantId, tokenId, serviceUserId }: Grant,
  reason: LostGrantReason,
): Promise<void> {
  await database.transaction(async (manager) => {
    await lockUser(manager, serviceUserId);
    const unchanged = (await manager.query(
      'SELECT FROM health_system_grant WHERE grant_id = $1 AND token_id = $2 FOR UPDATE',
      [grantId, tokenId],
    )) as unknown[];
    if (unchanged.length === 0) return;
    const connections = (await manager.query(
      `SELECT ${announcedColumns} FROM connection c WHERE c.grant_id = $1 AND c.status <> 'revoked'
       ORDER BY c.connection_id FOR UPDATE`,
      [grantId],
    )) as AnnouncedColumns[];
    await manager.query(
      `UPDATE connection SET status = 'needs_reauthorization', last_announced_status = 'needs_reauthorization',
         next_collection_at = NULL, retry_at = NULL, error = $2::jsonb
       WHERE grant_id = $1 AND status <> 'revoked'`,
      [grantId, JSON.stringify(reauthorizationRequired(reason))],
    );
    await endReceipts(
      manager,
      connections.map(({ connection_id }) => connection_id),
      'health_system',
    );
    for (const connection of connections) await recordStatusEvent(manager, 'needs_reauthorization', connection, {});
    await recordRefreshFailure(manager, grantId, reason);
    await manager.query('DELETE FROM health_system_grant WHERE grant_id = $1', [grantId]);
  });
  await consentEvents.record();
}
