import { type KeyEncryptionKey, type RewrapResult, type StoredKey, rewrapKeys } from '@tributary/key-vault';
import type { Pool } from 'pg';
import { clientContext } from '../keys/record-key-store';
import { type Statement, run } from '../postgres/statement';

const BATCH = 500;

/** Client keys after this client. $1 client, $2 limit */
const listClientKeys: Statement = {
  name: 'rewrap-list',
  text: `SELECT client_id, wrapped_key FROM fhir_store_keys.client_key WHERE client_id > $1 ORDER BY client_id LIMIT $2`,
};

/**
 * Replaces a wrapped key unless another process has replaced it. The key itself does not change. $1 client, $2 the new
 * wrapped key, $3 the previous wrapped key
 */
const replaceWrapped: Statement = {
  name: 'rewrap-replace',
  text: `UPDATE fhir_store_keys.client_key SET wrapped_key = $2 WHERE client_id = $1 AND wrapped_key = $3 RETURNING 1`,
};

/**
 * Rewraps the client keys that an older version of the key-encryption key wrapped, after a rotation. The client keys
 * themselves do not change, so no record is rewritten.
 */
export function rewrapClientKeys(pool: Pool, kek: KeyEncryptionKey, onKey?: () => void): Promise<RewrapResult> {
  const replace = async ({ id, wrapped }: StoredKey, again: Buffer): Promise<boolean> =>
    (await run(pool, replaceWrapped, [id, again, wrapped])).length > 0;
  return rewrapKeys(kek, clientKeys(pool), replace, onKey);
}

/**
 * A wrapped key names its version (`kekIdOf`), and there is one key for each client: no column and no index are needed.
 */
const countByVersion: Statement = {
  text: `SELECT encode(substr(wrapped_key, 2, 8), 'hex'), count(*) FROM fhir_store_keys.client_key GROUP BY 1`,
};

/** $1 the id of a version of the key-encryption key */
const findByVersion: Statement = {
  text: `SELECT 1 FROM fhir_store_keys.client_key WHERE substr(wrapped_key, 2, 8) = decode($1, 'hex') LIMIT 1`,
};

/** Whether this version of the key-encryption key has wrapped keys of clients. */
export async function isVersionStored(pool: Pool, id: string): Promise<boolean> {
  return (await run(pool, findByVersion, [id])).length > 0;
}

/** The number of client keys by the id of the version of the key-encryption key that wrapped them. */
export async function countClientKeys(pool: Pool): Promise<Map<string, number>> {
  const rows = (await run(pool, countByVersion, [])) as [string, string][];
  return new Map(rows.map(([id, count]) => [id, Number(count)]));
}

/** All client keys, in pages. There is one key per client, not per user, so all can be read. */
async function* clientKeys(pool: Pool): AsyncGenerator<StoredKey> {
  for (let after = ''; ;) {
    const rows = (await run(pool, listClientKeys, [after, BATCH])) as [string, Buffer][];
    for (const [id, wrapped] of rows) yield { id, wrapped, context: clientContext(id) };
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    after = last[0];
  }
}
