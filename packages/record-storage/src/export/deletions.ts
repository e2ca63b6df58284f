import type { TypeCode } from '../type-codes';
import { smallintArray, wholeNumberArray } from '../postgres/binary-arrays';
import { run } from '../postgres/statement';
import { Parameters } from '../search/parameters';
import { prepared } from '../search/statement-cache';
import type { ExportSelection } from './export-file';
import type { ExportedRecords } from './exported-records';
import { userPages } from './scope-users';

/** A resource that was deleted after `since` and is still deleted at the snapshot. */
export interface DeletedResource {
  readonly userId: number;
  readonly typeCode: TypeCode;
  readonly id: string;
  /** The time of the deletion, in epoch milliseconds. */
  readonly lastUpdated: number;
}

const CHUNK = 5000;

/** The resources deleted after `since` and before `at`, by user, type code and time, in chunks. */
export async function* readDeletions(
  { pool }: ExportedRecords,
  selection: ExportSelection,
): AsyncGenerator<DeletedResource[]> {
  for await (const users of userPages(pool, selection.scope)) {
    let last: DeletedResource | undefined;
    do {
      const { text, values } = deletionsStatement(selection, users, last);
      const rows = await run(pool, prepared('export-deleted', text), values);
      const chunk = rows.map(([userId, typeCode, id, lastUpdated]) => ({
        userId: Number(userId),
        typeCode: typeCode as TypeCode,
        id: id as string,
        lastUpdated: Number(lastUpdated),
      }));
      if (chunk.length > 0) yield chunk;
      last = chunk.length === CHUNK ? chunk.at(-1) : undefined;
    } while (last);
  }
}

function deletionsStatement(
  { at, since, typeCodes }: ExportSelection,
  users: readonly number[],
  after: DeletedResource | undefined,
): { text: string; values: unknown[] } {
  const parameters = new Parameters();
  const conditions = [`v.user_id = ANY (${parameters.add(wholeNumberArray(users), 'bigint[]')})`];
  const atPlaceholder = parameters.add(at, 'bigint');
  conditions.push(
    `v.deleted AND v.last_updated < ${atPlaceholder} AND (v.superseded_at IS NULL OR v.superseded_at >= ${atPlaceholder})`,
  );
  if (since !== undefined) conditions.push(`v.last_updated > ${parameters.add(since, 'bigint')}`);
  if (typeCodes) conditions.push(`v.type_code = ANY (${parameters.add(smallintArray(typeCodes), 'smallint[]')})`);
  if (after) {
    const { userId, typeCode, lastUpdated, id } = after;
    const row = parameters.addRow([userId, 'bigint'], [typeCode, 'smallint'], [lastUpdated, 'bigint'], [id, 'uuid']);
    conditions.push(`(v.user_id, v.type_code, v.last_updated, v.id) > ${row}`);
  }
  const text = `
    SELECT v.user_id, v.type_code, v.id, v.last_updated FROM fhir_store.resource_history v WHERE ${conditions.join(' AND ')}
    ORDER BY v.user_id, v.type_code, v.last_updated, v.id LIMIT ${CHUNK}`;
  return { text, values: parameters.values };
}
