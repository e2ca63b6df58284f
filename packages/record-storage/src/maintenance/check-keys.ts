import { KEY_CHECK_SAMPLE, type KeyEncryptionKey, assertKekMatches } from '@tributary/key-vault';
import type { Pool } from 'pg';
import { type Statement, run } from '../postgres/statement';
import { clientContext } from '../keys/record-key-store';

const someClientKeys: Statement = {
  name: 'check-client-keys',
  text: `SELECT client_id, wrapped_key FROM fhir_store_keys.client_key ORDER BY client_id LIMIT ${KEY_CHECK_SAMPLE}`,
};
/** Columns: records without any key, record keys without any client key. */
const missingKeys: Statement = {
  name: 'check-missing-keys',
  text: `
    SELECT
      EXISTS (SELECT FROM fhir_store.record WHERE destroyed_at IS NULL) AND NOT EXISTS (SELECT FROM fhir_store_keys.record_key),
      EXISTS (SELECT FROM fhir_store_keys.record_key WHERE wrapped_key IS NOT NULL) AND NOT EXISTS (SELECT FROM fhir_store_keys.client_key)`,
};
/** A page of records, and whether each is a live one without key row. $1 user before, $2 limit */
const findWithoutKey: Statement = {
  name: 'check-records-without-key',
  text: `
    SELECT r.user_id, r.destroyed_at IS NULL AND NOT EXISTS (SELECT FROM fhir_store_keys.record_key k WHERE k.user_id = r.user_id)
    FROM fhir_store.record r WHERE r.user_id > $1 ORDER BY r.user_id LIMIT $2`,
};
const RECORDS_PER_PAGE = 10_000;

/**
 * Checks that the key-encryption key opens the keys of clients, and with them those of records.
 * @throws Error when there are keys and it opens none of them
 */
export async function assertClientKeysFit(pool: Pool, kek: KeyEncryptionKey): Promise<void> {
  const rows = (await run(pool, someClientKeys, [])) as [string, Buffer][];
  await assertKekMatches(
    kek,
    rows.map(([clientId, wrapped]) => ({ wrapped, context: clientContext(clientId) })),
    'fhir_store_keys.client_key',
  );
}

/**
 * @throws Error when there are records and no keys, as when the backup of the one schema was restored without that of
 *   the other
 */
export async function assertKeysPresent(pool: Pool): Promise<void> {
  const [row] = await run(pool, missingKeys, []);
  if (!row?.[0] && !row?.[1]) return;
  throw new Error(
    'the schema fhir_store_keys lacks the keys of the records in fhir_store: restore its latest backup before the service is started',
  );
}

/**
 * Live records without a key row, in ascending order of users. They are neither read nor written. It happens only where
 * fhir_store_keys was restored from an older backup than fhir_store, and ends when a newer one is restored. All records
 * are read, in pages of 10,000.
 */
export async function* recordsWithoutKey(pool: Pool): AsyncGenerator<number> {
  for (let after = 0; ;) {
    const rows = await run(pool, findWithoutKey, [after, RECORDS_PER_PAGE]);
    for (const [userId, lacksKey] of rows) if (lacksKey) yield Number(userId);
    if (rows.length < RECORDS_PER_PAGE) return;
    after = Number(rows.at(-1)?.[0]);
  }
}
