import { IdNotAvailableError } from '../errors';
import { uuidArray } from '../postgres/binary-arrays';
import { type Statement, type Queryable, run } from '../postgres/statement';

/**
 * Claims ids for a user, in their order, so that two transactions do not deadlock. $1 user, $2 ids. One row for each id
 * that belongs to the user afterwards.
 */
const claimIds: Statement = {
  name: 'batch-claim-ids',
  text: `
    INSERT INTO fhir_store.claimed_id AS c (id, user_id) SELECT id, $1 FROM unnest($2::uuid[]) AS w (id) ORDER BY id
    ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id WHERE c.user_id = excluded.user_id RETURNING 1`,
};

/**
 * The service assigns UUIDs of version 8. A client that names an unknown one means a resource of another record, or
 * guesses.
 */
const assigned = /^.{14}8/;

/**
 * Ensures that no other record has resources under these client-assigned ids. The claim lasts until the record is
 * destroyed.
 * @throws IdNotAvailableError
 */
export async function claimClientAssignedIds(
  queryable: Queryable,
  userId: number,
  ids: readonly string[],
): Promise<void> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return;
  if (distinct.some((id) => assigned.test(id))) throw new IdNotAvailableError();
  const claimed = await run(queryable, claimIds, [userId, uuidArray(distinct)]);
  if (claimed.length < distinct.length) throw new IdNotAvailableError();
}
