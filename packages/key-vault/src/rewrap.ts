import type { KeyEncryptionKey } from './key-encryption-key';
import { UnsealingError } from './sealing';

/** A wrapped key as it is stored. */
export interface StoredKey {
  /** Identifies the key in logs; not secret. */
  readonly id: string;
  readonly wrapped: Buffer;
  /** The context with which the key was wrapped. */
  readonly context: string;
}

/** The result of a pass over the stored keys. */
export interface RewrapResult {
  readonly rewrapped: number;
  /** The number of keys that no known version of the key-encryption key unwraps. They are left unchanged. */
  readonly unopened: number;
  /** The first of their ids, for a log message. */
  readonly unopenedIds: readonly string[];
}

const MAX_REPORTED_IDS = 20;

/**
 * Rewraps the keys that an older version of the key-encryption key has wrapped. Keys that do not unwrap are left
 * unchanged and counted. Safe to run concurrently with all other work and in several processes, and safe to interrupt.
 * @param replace stores the new wrapped form if the old one is still stored, and returns whether it was; errors of the
 *   key service are passed on
 * @param onKey is called after each key that was due
 */
export async function rewrapKeys(
  kek: KeyEncryptionKey,
  keys: AsyncIterable<StoredKey>,
  replace: (key: StoredKey, rewrapped: Buffer) => Promise<boolean>,
  onKey: () => void = () => undefined,
): Promise<RewrapResult> {
  let [rewrapped, unopened] = [0, 0];
  const unopenedIds: string[] = [];
  for await (const key of keys) {
    if (!(await kek.isDue(key.wrapped))) continue;
    const bytes = await unwrapped(kek, key);
    if (!bytes) {
      unopened++;
      if (unopenedIds.length < MAX_REPORTED_IDS) unopenedIds.push(key.id);
    } else if (await replace(key, await kek.wrap(bytes, key.context))) rewrapped++;
    onKey();
  }
  return { rewrapped, unopened, unopenedIds };
}

async function unwrapped(kek: KeyEncryptionKey, { wrapped, context }: StoredKey): Promise<Buffer | undefined> {
  try {
    return await kek.unwrap(wrapped, context);
  } catch (error) {
    if (error instanceof UnsealingError) return undefined;
    throw error;
  }
}
