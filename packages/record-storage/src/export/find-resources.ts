import type { TypeCode } from '../type-codes';
import { smallintArray, uuidArray, wholeNumberArray } from '../postgres/binary-arrays';
import { type Statement, run } from '../postgres/statement';
import type { ExportScope } from './export-file';
import type { ExportedRecords } from './exported-records';
import { userPages } from './scope-users';

/** $1 users, $2 type codes, $3 ids. By the primary keys alone. */
const knownIds: Statement = {
  name: 'export-known-ids',
  text: `
    SELECT r.id FROM fhir_store.resource r WHERE r.user_id = ANY ($1::bigint[]) AND r.type_code = ANY ($2::smallint[]) AND r.id = ANY ($3::uuid[])
    UNION
    SELECT v.id FROM fhir_store.resource_history v WHERE v.user_id = ANY ($1::bigint[]) AND v.type_code = ANY ($2::smallint[]) AND v.id = ANY ($3::uuid[])`,
};

/**
 * The ids among those given that belong or belonged to a resource of these type codes in the scope. Reads no content,
 * and ends as soon as all are found.
 */
export async function findResources(
  { pool }: ExportedRecords,
  scope: ExportScope,
  typeCodes: readonly TypeCode[],
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (ids.length === 0) return found;
  for await (const users of userPages(pool, scope)) {
    for (const [id] of await run(pool, knownIds, [wholeNumberArray(users), smallintArray(typeCodes), uuidArray(ids)]))
      found.add(id as string);
    if (found.size === ids.length) break;
  }
  return found;
}
