import type { EntityManager } from 'typeorm';
import { UserNoLongerActive } from './user-errors';

/**
 * Locks the row of a user until the transaction ends. Every change of which connections use which grant takes this
 * lock: under READ COMMITTED, two concurrent changes would not see that the other one stops using the same grant.
 */
export async function lockUser(manager: EntityManager, serviceUserId: number): Promise<void> {
  await manager.query('SELECT FROM service_user WHERE service_user_id = $1 FOR NO KEY UPDATE', [serviceUserId]);
}

/**
 * Locks the row of an active user: a deletion or deactivation waits until the transaction ends.
 * @throws UserNoLongerActive
 */
export async function lockActiveUser(manager: EntityManager, serviceUserId: number): Promise<void> {
  const rows = (await manager.query(
    `SELECT FROM service_user WHERE service_user_id = $1 AND state = 'active' FOR NO KEY UPDATE`,
    [serviceUserId],
  )) as unknown[];
  if (rows.length === 0) throw new UserNoLongerActive();
}
