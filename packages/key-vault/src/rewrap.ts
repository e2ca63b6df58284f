import type { KeyEncryptionKey } from './key-encryption-key';
import { UnsealingError } from './sealing';

/** A wrapped key as it is stored. */
export interface StoredKey {
  /** Names the key in logs; no secret. */
  readonly id: string;
  readonly wrapped: Buffer;
  /** What the key-encryption key is told that it wraps. */
  readonly context: string;
}

/** What a pass over stored keys did. */
export interface RewrapResult {
  readonly rewrapped: number;
  /** How many keys no known version of the key-encryption key opens. They are left as they are. */
  readonly unopened: number;
  /** Some of those, to be named in a log. */
  readonly unopenedIds: readonly string[];
}

const REPORTED = 20;

/**
 * Wraps keys anew that an older version of the key-encryption key wrapped. A key that does not open is left as it is and counted; the others
 * are wrapped all the same. May run beside everything else, in several processes, and be cut off anywhere.
 * @param replace stores the new form only if the key is still stored as it was; gives whether it was
 * @throws what the keeper of the key-encryption key throws when it cannot be asked
 */
export async function rewrapKeys(
  kek: KeyEncryptionKey,
  keys: AsyncIterable<StoredKey>,
  replace: (key: StoredKey, again: Buffer) => Promise<boolean>,
): Promise<RewrapResult> {
  let [rewrapped, unopened] = [0, 0];
  const unopenedIds: string[] = [];
  for await (const key of keys) {
    if (kek.isCurrent(key.wrapped)) continue;
    const bytes = await opened(kek, key);
    if (bytes) {
      if (await replace(key, await kek.wrap(bytes, key.context))) rewrapped++;
      continue;
    }
    unopened++;
    if (unopenedIds.length < REPORTED) unopenedIds.push(key.id);
  }
  return { rewrapped, unopened, unopenedIds };
}

async function opened(kek: KeyEncryptionKey, { wrapped, context }: StoredKey): Promise<Buffer | undefined> {
  try {
    return await kek.unwrap(wrapped, context);
  } catch (error) {
    if (error instanceof UnsealingError) return undefined;
    throw error;
  }
}
