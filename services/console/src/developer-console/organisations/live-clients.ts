import type { Pool } from 'pg';

/** Lets an organisation have live clients, or no further ones. @returns whether there is such an organisation */
export async function setLiveClients(pool: Pool, organisationId: string, isAllowed: boolean): Promise<boolean> {
  const sql = 'UPDATE organisation SET may_have_live_clients = $2 WHERE id = $1';
  return (await pool.query(sql, [organisationId, isAllowed])).rowCount === 1;
}
