import type { RecordStorage } from '@tributary/record-storage';
import type { Logger } from 'pino';

/**
 * Before the service is ready: a restore of `fhir_store` or `fhir_store_keys` from a backup may have brought back what was destroyed since.
 * @throws Error when the stored keys do not fit the records or the key-encryption key
 */
export async function checkAfterRestore(storage: RecordStorage, log: Logger): Promise<void> {
  await storage.assertKekMatches();
  await storage.reconcileDestroyed();
  await finishDestructions(storage, log);
}

/** Deletes the rows of destroyed records that are still there: a process ended in the middle of a destruction, or a backup brought them back. */
export async function finishDestructions(storage: RecordStorage, log: Logger): Promise<void> {
  const { finished, left } = await storage.finishDestructions();
  if (finished > 0) log.info({ records: finished }, 'the rows of destroyed records are deleted');
  if (left > 0)
    log.warn(
      { records: left },
      'rows of destroyed records are left because a transaction hangs on; the deletion is tried again',
    );
}

/** Says how many live records have no key, which happens when `fhir_store_keys` was restored from an older backup than `fhir_store`. */
export async function reportRecordsWithoutKey(storage: RecordStorage, log: Logger): Promise<void> {
  let records = 0;
  for await (const _userId of storage.recordsWithoutKey()) records++;
  if (records > 0)
    log.error(
      { records },
      'records have no key in fhir_store_keys and can neither be read nor written: restore a later backup of fhir_store_keys',
    );
}
