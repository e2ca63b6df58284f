import type { Pool } from 'pg';
import { type Statement, run } from '../postgres/statement';
import type { ExportScope } from './export-file';

/** $1 client, $2 user to begin with, $3 limit. By the index record_of_client. */
const usersOfClient: Statement = {
  name: 'export-users',
  text: `SELECT user_id FROM fhir_store.record WHERE client_id = $1 AND user_id >= $2 AND destroyed_at IS NULL ORDER BY user_id LIMIT $3`,
};

/**
 * The users of a scope in ascending order, a page at a time.
 * @param options.from the first user
 * @param options.pageSize the maximum number of users whose blocks one statement lists. Default 500.
 */
export async function* userPages(
  pool: Pool,
  scope: ExportScope,
  { from = 0, pageSize = 500 }: { readonly from?: number | undefined; readonly pageSize?: number | undefined } = {},
): AsyncGenerator<number[]> {
  if ('userId' in scope) {
    if (scope.userId >= from) yield [scope.userId];
    return;
  }
  for (let next = from; ;) {
    const users = (await run(pool, usersOfClient, [scope.clientId, next, pageSize])).map(([userId]) => Number(userId));
    if (users.length > 0) yield users;
    if (users.length < pageSize) return;
    next = (users.at(-1) as number) + 1;
  }
}
