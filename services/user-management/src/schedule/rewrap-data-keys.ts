import type { ScopedKeys } from '@tributary/key-vault';
import type { Logger } from 'pino';

/** Wraps data keys anew after a rotation of the key-encryption key, and says which ones do not open. */
export async function rewrapDataKeys(keys: ScopedKeys, log: Logger): Promise<void> {
  const { rewrapped, unopened, unopenedIds } = await keys.rewrapAll();
  if (rewrapped > 0) log.info({ rewrapped }, 'data keys are wrapped by the new key-encryption key');
  if (unopened > 0)
    log.warn(
      { unopened, scopes: unopenedIds },
      'data keys are wrapped by a key-encryption key that is not in the key file',
    );
}
