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
 * The key itself stays what it is: only if nobody else has wrapped it again. $1 client, $2 wrapped again, $3 as it was
 * wrapped
 */
const replaceWrapped: Statement = {
  name: 'rewrap-replace',
  text: `UPDATE fhir_store_keys.client_key SET wrapped_key = $2 WHERE client_id = $1 AND wrapped_key = $3 RETURNING 1`,
};

/**
 * After a rotation of the key-encryption key: wraps every client's key again that an older version wrapped. The keys
 * themselves stay, so records need nothing.
 */
export function rewrapClientKeys(pool: Pool, kek: KeyEncryptionKey): Promise<RewrapResult> {
  const replace = async ({ id, wrapped }: StoredKey, again: Buffer): Promise<boolean> =>
    (await run(pool, replaceWrapped, [id, again, wrapped])).length > 0;
  return rewrapKeys(kek, clientKeys(pool), replace);
}

/** All of them: there is one for each client, not for each user. */
async function* clientKeys(pool: Pool): AsyncGenerator<StoredKey> {
  for (let after = ''; ;) {
    const rows = (await run(pool, listClientKeys, [after, BATCH])) as [string, Buffer][];
    for (const [id, wrapped] of rows) yield { id, wrapped, context: clientContext(id) };
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    after = last[0];
  }
}
