import type { RecordStorage } from '@tributary/record-storage';
import type { Logger } from 'pino';

/**
 * Destroys records again that a restored backup of `fhir_store` or `fhir_store_keys` contains. It must end before the
 * service is ready.
 * @throws Error when the stored keys do not match the records or the key-encryption key
 */
export async function checkAfterRestore(storage: RecordStorage, log: Logger): Promise<void> {
  await storage.assertKekMatches();
  await storage.reconcileDestroyed();
  await finishDestructions(storage, log);
}

/** Deletes the remaining rows of destroyed records, after an interrupted destruction or a restored backup. */
export async function finishDestructions(storage: RecordStorage, log: Logger): Promise<void> {
  const { finished, left } = await storage.finishDestructions();
  if (finished > 0) log.info({ records: finished }, 'the rows of destroyed records are deleted');
  if (left > 0)
    log.warn(
      { records: left },
      'rows of destroyed records remain because a transaction is still open; the deletion is repeated',
    );
}

/**
 * Logs the number of live records without a key. This happens when `fhir_store_keys` was restored from an older backup
 * than `fhir_store`.
 */
export async function reportRecordsWithoutKey(storage: RecordStorage, log: Logger): Promise<void> {
  let records = 0;
  for await (const _userId of storage.recordsWithoutKey()) records++;
  if (records > 0)
    log.error(
      { records },
      'records have no key in fhir_store_keys and can neither be read nor written: restore a later backup of fhir_store_keys',
    );
}
