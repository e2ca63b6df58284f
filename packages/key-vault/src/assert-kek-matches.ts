import type { KeyEncryptionKey } from './key-encryption-key';
import type { StoredKey } from './rewrap';
import { UnsealingError } from './sealing';

/** Keys that are worth trying: some may be damaged or wrapped by a version that is gone, without the key-encryption key being a wrong one. */
export const KEY_CHECK_SAMPLE = 100;

/**
 * Checks that the key-encryption key is the one that wrapped stored keys, before anything is written under another one that the right key would not open.
 * @param table where the keys are stored, for the message
 * @throws Error when there are keys and none of them opens; and what the keeper of the key-encryption key throws when it cannot be asked
 */
export async function assertKekMatches(
  kek: KeyEncryptionKey,
  keys: readonly Omit<StoredKey, 'id'>[],
  table: string,
): Promise<void> {
  if (keys.length === 0) return;
  for (const { wrapped, context } of keys) {
    try {
      await kek.unwrap(wrapped, context);
      return;
    } catch (error) {
      if (!(error instanceof UnsealingError)) throw error;
    }
  }
  throw new Error(
    `the key-encryption key opens none of the keys in ${table}: it is not the one that wrapped them, see KEY_ENCRYPTION_KEY_FILE`,
  );
}
