import { noPrevious } from '../block/block';
import {
  type Checkpoint,
  type CheckpointContent,
  checkpointKeyId,
  decodeCheckpointContent,
  isSignedBy,
  isUnchanged,
} from '../checkpoint/checkpoint';
import type { Finding } from './finding';

/** What a checkpoint has signed, and what is wrong with it. */
export interface CheckedCheckpoint {
  findings: Finding[];
  /** Absent when the checkpoint cannot be read or is not signed. */
  content?: CheckpointContent;
}

/**
 * Checks the checkpoints, which are added from the newest to the oldest, because a new key tells the keys before it.
 */
export class CheckpointCheck {
  readonly #keys = new Map<string, Buffer>();
  /** The checkpoint after the one that is added. */
  #after: Pick<Checkpoint, 'number' | 'previous'> | undefined;

  /** @param publicKeys the keys that sign now (`CheckpointKey.publicKey`) */
  constructor(publicKeys: Iterable<Buffer>) {
    for (const key of publicKeys) this.#keys.set(checkpointKeyId(key), key);
  }

  add(checkpoint: Checkpoint): CheckedCheckpoint {
    const { number, at, previous } = checkpoint;
    const findings: Finding[] = [];
    const find = (problem: Finding['problem'], checkpointNumber = number): void => {
      findings.push({ problem, checkpoint: checkpointNumber, at });
    };
    const after = this.#after;
    if (after && after.number !== number + 1) find('checkpoint missing', after.number - 1);
    else if (after && !after.previous.equals(checkpoint.hash)) find('checkpoint not chained', after.number);
    this.#after = { number, previous };
    if (!isUnchanged(checkpoint)) find('checkpoint changed');
    const key = this.#keys.get(checkpoint.keyId);
    if (!key || !isSignedBy(checkpoint, key)) find('checkpoint not signed');
    if (findings.some(({ problem }) => problem === 'checkpoint changed' || problem === 'checkpoint not signed'))
      return { findings };
    const content = decodeCheckpointContent(checkpoint.heads);
    for (const earlier of content.earlierKeys) this.#keys.set(checkpointKeyId(earlier), earlier);
    return { findings, content };
  }

  /** Called after the oldest one. */
  end(): Finding[] {
    if (!this.#after) return [];
    const { number, previous } = this.#after;
    if (number !== 1) return [{ problem: 'checkpoint missing', checkpoint: number - 1 }];
    return previous.equals(noPrevious) ? [] : [{ problem: 'checkpoint not chained', checkpoint: 1 }];
  }
}
