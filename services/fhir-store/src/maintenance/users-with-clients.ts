import type { CommandSubject } from '@tributary/service-kit';
import type { Pool } from 'pg';

/** The users, each with the client of the record where it is known. */
export async function usersWithClients(pool: Pool, serviceUserIds: readonly number[]): Promise<CommandSubject[]> {
  const { rows } = await pool.query<{ user_id: string; client_id: string }>(
    'SELECT user_id, client_id FROM fhir_store.record WHERE user_id = ANY ($1::bigint[]) AND client_id IS NOT NULL',
    [serviceUserIds],
  );
  const clients = new Map(rows.map(({ user_id, client_id }) => [Number(user_id), client_id]));
  return serviceUserIds.map((serviceUserId) => ({ serviceUserId, clientId: clients.get(serviceUserId) }));
}
