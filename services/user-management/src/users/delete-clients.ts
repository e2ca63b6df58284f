import { describeError } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import { changedRows, repeatFullBatches } from '../database/changed-rows';
import type { Dependencies } from '../dependencies';
import { deleteOutcomesOfClient } from '../outcomes/client-outcomes';

const batchSize = 1000;

/**
 * Continues the deletion of client applications, which auth has disabled. The deletions of the users begin here, and
 * `finishUserChanges` finishes them. The client is removed in auth once nothing of it is left here.
 */
export async function deleteClients({ database, keys, auth, webhookEndpoints, log }: Dependencies): Promise<void> {
  for (const clientId of await auth.findDeletingClients())
    try {
      for (const { endpointId } of await webhookEndpoints.list(clientId))
        await webhookEndpoints.delete(clientId, endpointId);
      await beginDeletions(database, clientId);
      if (!(await isEmpty(database, clientId))) continue;
      await database.query('DELETE FROM client_user_count WHERE client_id = $1', [clientId]);
      await deleteOutcomesOfClient(database, clientId);
      await keys.destroyOfClient(clientId);
      await auth.removeClient(clientId);
      log.info({ clientId }, 'a client application is deleted with all of its users');
    } catch (error) {
      log.warn({ clientId, err: describeError(error) }, 'the deletion of a client application cannot continue yet');
    }
}

function beginDeletions(database: DataSource, clientId: string): Promise<void> {
  return repeatFullBatches(batchSize, () =>
    changedRows(
      database,
      `UPDATE service_user SET state = 'deleting', app_user_id_sealed = NULL, app_user_id_blind_index = NULL,
         change_number = change_number + 1, change_attempts = 0, change_retry_at = NULL, changed_at = now()
       WHERE service_user_id IN (
         SELECT service_user_id FROM service_user WHERE client_id = $1 AND state <> 'deleting'
         ORDER BY service_user_id LIMIT $2 FOR NO KEY UPDATE)
       RETURNING true`,
      [clientId, batchSize],
    ),
  );
}

async function isEmpty(database: DataSource, clientId: string): Promise<boolean> {
  const [left] = (await database.query(
    `SELECT EXISTS (SELECT FROM service_user WHERE client_id = $1) OR
       EXISTS (SELECT FROM webhook_endpoint WHERE client_id = $1) AS is_left`,
    [clientId],
  )) as { is_left: boolean }[];
  return left?.is_left === false;
}
