import {
  type Checkpoint,
  type CheckpointContent,
  checkpointKeyId,
  decodeCheckpointContent,
  isSignedBy,
  isUnchanged,
} from '../checkpoint/checkpoint';
import { type LogDatabase, readKeyChanges } from './log-rows';

/** Public keys of checkpoints by their id. */
export type CheckpointKeys = ReadonlyMap<string, Buffer>;

/**
 * The keys that sign now, and those before them, which the first checkpoint of each key tells.
 * @param publicKeys those that sign now
 */
export async function readCheckpointKeys(
  database: LogDatabase,
  publicKeys: readonly Buffer[],
): Promise<CheckpointKeys> {
  const keys = new Map(publicKeys.map((key) => [checkpointKeyId(key), key]));
  for (const checkpoint of await readKeyChanges(database)) {
    if (!isSignedByOneOf(keys, checkpoint)) continue;
    for (const earlier of contentOf(checkpoint)?.earlierKeys ?? []) keys.set(checkpointKeyId(earlier), earlier);
  }
  return keys;
}

/** Whether a checkpoint is unchanged, and the holder of one of the keys has signed it. */
export function isSignedByOneOf(keys: CheckpointKeys, checkpoint: Checkpoint): boolean {
  const key = keys.get(checkpoint.keyId);
  return key !== undefined && isUnchanged(checkpoint) && isSignedBy(checkpoint, key);
}

/** Undefined when the checkpoint was changed so that it cannot be read. */
export function contentOf({ heads }: Pick<Checkpoint, 'heads'>): CheckpointContent | undefined {
  try {
    return decodeCheckpointContent(heads);
  } catch {
    return undefined;
  }
}
