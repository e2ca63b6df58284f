import { type KeyEncryptionKey, UnsealingError } from '@tributary/key-vault';
import type { Pool } from 'pg';
import { type Statement, run } from '../postgres/statement';
import { clientContext } from '../keys/record-key-store';

/** Client keys that are tried: a few may be damaged, or wrapped by a version that is gone, without the key-encryption key being a wrong one. */
const TRIED = 100;

const someClientKeys: Statement = {
  name: 'check-client-keys',
  text: `SELECT client_id, wrapped_key FROM fhir_store_keys.client_key ORDER BY client_id LIMIT ${TRIED}`,
};
/** Columns: records without any key, record keys without any client key. */
const missingKeys: Statement = {
  name: 'check-missing-keys',
  text: `
    SELECT
      EXISTS (SELECT FROM fhir_store.record WHERE destroyed_at IS NULL) AND NOT EXISTS (SELECT FROM fhir_store_keys.record_key),
      EXISTS (SELECT FROM fhir_store_keys.record_key WHERE wrapped_key IS NOT NULL) AND NOT EXISTS (SELECT FROM fhir_store_keys.client_key)`,
};
/** Live records whose key row is missing, after a user. $1 user before, $2 limit */
const findWithoutKey: Statement = {
  name: 'check-records-without-key',
  text: `
    SELECT r.user_id FROM fhir_store.record r
    WHERE r.user_id > $1 AND r.destroyed_at IS NULL AND NOT EXISTS (SELECT FROM fhir_store_keys.record_key k WHERE k.user_id = r.user_id)
    ORDER BY r.user_id LIMIT $2`,
};

/**
 * Checks that the keys fit the records, before anything is written: with a wrong key-encryption key new clients would get keys that the right one does not open.
 * @throws Error that says what does not fit and what to do
 */
export async function assertKeysFit(pool: Pool, kek: KeyEncryptionKey): Promise<void> {
  const [row] = await run(pool, missingKeys, []);
  if (row?.[0] || row?.[1]) {
    throw new Error('the schema fhir_store_keys lacks the keys of the records in fhir_store: restore its latest backup before the service is started');
  }
  const clientKeys = (await run(pool, someClientKeys, [])) as [string, Buffer][];
  if (clientKeys.length === 0) return;
  for (const [clientId, wrapped] of clientKeys) if (await opens(kek, clientId, wrapped)) return;
  throw new Error('the key-encryption key opens none of the keys in fhir_store_keys.client_key: it is not the one that wrapped them, see KEY_ENCRYPTION_KEY_FILE');
}

/**
 * Live records without a key row, in ascending order. They are neither read nor written. It happens only where fhir_store_keys was restored from an older backup
 * than fhir_store, and ends when a newer one is restored.
 */
export async function recordsWithoutKey(pool: Pool, after: number, limit: number): Promise<number[]> {
  return (await run(pool, findWithoutKey, [after, limit])).map(([userId]) => Number(userId));
}

async function opens(kek: KeyEncryptionKey, clientId: string, wrapped: Buffer): Promise<boolean> {
  try {
    await kek.unwrap(wrapped, clientContext(clientId));
    return true;
  } catch (error) {
    if (error instanceof UnsealingError) return false;
    throw error;
  }
}
