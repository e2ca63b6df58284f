import { type KeyEncryptionKey, UnsealingError } from '@tributary/key-vault';
import type { Pool } from 'pg';
import { clientContext } from '../keys/record-key-store';
import { type Statement, run } from '../postgres/statement';

const BATCH = 500;

/** Client keys after this client. $1 client, $2 limit */
const listClientKeys: Statement = {
  name: 'rewrap-list',
  text: `SELECT client_id, wrapped_key FROM fhir_store_keys.client_key WHERE client_id > $1 ORDER BY client_id LIMIT $2`,
};

/** The key itself stays what it is: only if nobody else has wrapped it anew. $1 client, $2 wrapped anew, $3 as it was wrapped */
const replaceWrapped: Statement = {
  name: 'rewrap-replace',
  text: `UPDATE fhir_store_keys.client_key SET wrapped_key = $2 WHERE client_id = $1 AND wrapped_key = $3 RETURNING 1`,
};

export interface RewrapResult {
  readonly rewrapped: number;
  /** Keys that no known version of the key-encryption key opens: they are left as they are. */
  readonly unopened: number;
}

/**
 * After a rotation of the key-encryption key: wraps every client's key anew that an older version wrapped. The keys themselves stay, so records
 * need nothing. May run beside everything else, in several processes, and be cut off anywhere.
 */
export async function rewrapClientKeys(pool: Pool, kek: KeyEncryptionKey): Promise<RewrapResult> {
  let [rewrapped, unopened] = [0, 0];
  let after = '';
  for (;;) {
    const rows = (await run(pool, listClientKeys, [after, BATCH])) as [string, Buffer][];
    for (const [clientId, wrapped] of rows) {
      after = clientId;
      if (kek.isCurrent(wrapped)) continue;
      const again = await wrappedAnew(kek, wrapped, clientContext(clientId));
      if (again) rewrapped += (await run(pool, replaceWrapped, [clientId, again, wrapped])).length;
      else unopened++;
    }
    if (rows.length < BATCH) return { rewrapped, unopened };
  }
}

async function wrappedAnew(kek: KeyEncryptionKey, wrapped: Buffer, context: string): Promise<Buffer | undefined> {
  try {
    return await kek.wrap(await kek.unwrap(wrapped, context), context);
  } catch (error) {
    if (error instanceof UnsealingError) return undefined;
    throw error;
  }
}
