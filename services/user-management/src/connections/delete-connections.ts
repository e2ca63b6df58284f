import type { DataSource } from 'typeorm';
import type { DataKeys } from '../database/data-keys';
import { deleteUserGrants, grantDeletionKeys } from '../grants/delete-grants';
import { unlessInactive } from '../users/user-errors';
import { lockUser } from '../users/user-lock';

/** Deliveries come after connections: no event can be recorded for a connection that is deleted. */
const tables = ['pending_authorization', 'connection', 'webhook_delivery'];

/**
 * Deletes everything this service stores about the connections of a user, has the tokens revoked, and destroys the data
 * key of the user. Idempotent.
 */
export async function deleteUserConnections(
  database: DataSource,
  keys: DataKeys,
  serviceUserId: number,
): Promise<void> {
  const deletionKeys = await unlessInactive(() => grantDeletionKeys(keys, serviceUserId));
  // The row of the user is deleted already, and with it everything else.
  if (!deletionKeys) return;
  await database.transaction(async (manager) => {
    await lockUser(manager, serviceUserId);
    await deleteUserGrants(manager, deletionKeys, serviceUserId);
    for (const table of tables) await manager.query(`DELETE FROM ${table} WHERE service_user_id = $1`, [serviceUserId]);
  });
  await keys.destroyOfUser(serviceUserId);
}
