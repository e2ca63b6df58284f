import type { KeyEncryptionKey } from './key-encryption-key';
import type { StoredKey } from './rewrap';
import { UnsealingError } from './sealing';

/**
 * How many stored keys are tried. One is not enough: single keys can be damaged or wrapped by a lost version of the
 * right key-encryption key.
 */
export const KEY_CHECK_SAMPLE = 100;

/**
 * Checks that the key-encryption key (KEK) is the one that wrapped the stored keys, before new keys are wrapped by a
 * wrong one.
 * @param keys a sample of the stored keys, at most `KEY_CHECK_SAMPLE`
 * @param table the table of the keys, for the error message
 * @throws Error when there are keys and the KEK unwraps none of them; errors of the key service are passed on
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
    `the key-encryption key opens none of the keys in ${table}: it is not the one that wrapped them, see KEY_ENCRYPTION_KEY_FILE and KEY_PROVIDER_KEY`,
  );
}
