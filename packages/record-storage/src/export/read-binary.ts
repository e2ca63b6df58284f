import { releases } from '@tributary/fhir-definitions';
import type { Pool } from 'pg';
import { ContentReader } from '../content-objects/content-reader';
import { type Statement, run } from '../postgres/statement';
import { readMany } from '../read/read';
import type { StoredVersion } from '../read/stored-version';
import { isResourceId } from '../resource-key';
import { binaryTypeCodes } from '../schema/tables';
import { typeCodeOf } from '../type-codes';
import type { ExportScope } from './export-file';
import type { ExportedRecords } from './exported-records';

/** $1 id, $2 client. By the index resource_binary. */
const userOfBinary: Statement = {
  name: 'export-user-of-binary',
  text: `
    SELECT c.user_id FROM fhir_store.resource r JOIN fhir_store.record c ON c.user_id = r.user_id
    WHERE r.id = $1 AND r.type_code IN (${binaryTypeCodes}) AND c.client_id = $2 AND c.destroyed_at IS NULL
    LIMIT 1`,
};

/** A Binary, the user whose it is, and what reads its content where that is in the object storage. */
export interface ExportedBinary extends StoredVersion {
  readonly userId: number;
  readonly content: ContentReader;
}

/**
 * The current version of a Binary in the scope, of whatever release; that of the newest release when several have the
 * id. Undefined when there is none.
 * @throws UnsealingError
 */
export async function readBinary(
  { pool, keyStore, objects }: ExportedRecords,
  scope: ExportScope,
  id: string,
): Promise<ExportedBinary | undefined> {
  if (!isResourceId(id)) return undefined;
  const userId = 'userId' in scope ? scope.userId : await findUser(pool, scope.clientId, id);
  if (userId === undefined) return undefined;
  const keys = await keyStore.find(userId);
  if (!keys) return undefined;
  const wanted = releases.toReversed().map((release) => ({ typeCode: typeCodeOf(release, 'Binary'), id }));
  const [found] = await readMany(pool, keys, wanted);
  return found && { ...found, userId, content: new ContentReader(keys, objects) };
}

async function findUser(pool: Pool, clientId: string, id: string): Promise<number | undefined> {
  const [row] = await run(pool, userOfBinary, [id, clientId]);
  return row && Number(row[0]);
}
