import { endReceiptsOfDeletedUser } from '../consent/consent-receipts';
import { retainReceipts } from '../consent/retained-consents';
import type { Dependencies } from '../dependencies';
import { deleteUserGrants, enqueueRevocations, grantDeletionKeys } from '../grants/delete-grants';
import { unlessInactive } from '../users/user-errors';
import { lockUser } from '../users/user-lock';

/** A transaction that changes deliveries locks their endpoints first, in the order of endpoint_id. */
const lockEndpoints = `
SELECT FROM webhook_endpoint WHERE client_id = (SELECT client_id FROM service_user WHERE service_user_id = $1)
ORDER BY endpoint_id FOR NO KEY UPDATE`;

/**
 * Deletes everything this service stores about the connections of a user except the receipts of consents, has the
 * tokens revoked, and destroys the data key of the user. Idempotent.
 */
export async function deleteUserConnections(
  { database, keys, consentEvents }: Dependencies,
  serviceUserId: number,
): Promise<void> {
  const deletionKeys = await unlessInactive(() => grantDeletionKeys(keys, serviceUserId));
  // The row of the user is deleted already, and with it everything else.
  if (!deletionKeys) return;
  const ofRetainedConsents = await keys.of('retained-consents');
  await database.transaction(async (manager) => {
    await lockUser(manager, serviceUserId);
    await enqueueRevocations(manager, deletionKeys, await deleteUserGrants(manager, serviceUserId));
    await manager.query('DELETE FROM connect_link WHERE service_user_id = $1', [serviceUserId]);
    await manager.query('DELETE FROM pending_authorization WHERE service_user_id = $1', [serviceUserId]);
    await endReceiptsOfDeletedUser(manager, serviceUserId);
    await retainReceipts(manager, { ofUser: deletionKeys.ofUser, ofRetainedConsents }, serviceUserId);
    await manager.query('DELETE FROM connection WHERE service_user_id = $1', [serviceUserId]);
    // After the connections: no event can be recorded for a connection that is deleted.
    await manager.query(lockEndpoints, [serviceUserId]);
    await manager.query('DELETE FROM webhook_event WHERE service_user_id = $1', [serviceUserId]);
  });
  await consentEvents.record();
  await keys.destroyOfUser(serviceUserId);
}
