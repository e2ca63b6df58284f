import { noPrevious } from '../block/block';
import { type Checkpoint, CheckpointKeys } from '../checkpoint/checkpoint';
import type { Finding, Problem } from './finding';

/**
 * Checks the checkpoints, which are added from the newest to the oldest, because a new key tells the keys before it.
 */
export class CheckpointCheck {
  readonly #keys: CheckpointKeys;
  /** The checkpoint after the one that is added. */
  #after: Pick<Checkpoint, 'number' | 'previous'> | undefined;

  /** @param publicKeys the keys that sign now (`CheckpointKey.publicKey`) */
  constructor(publicKeys: readonly Buffer[]) {
    this.#keys = new CheckpointKeys(publicKeys);
  }

  /** @returns what is wrong, and whether the checkpoint is signed as it is */
  add(checkpoint: Checkpoint): { findings: Finding[]; isSigned: boolean } {
    const { number, at, previous } = checkpoint;
    const findings: Finding[] = [];
    const find = (problem: Problem, checkpointNumber = number): void => {
      findings.push({ problem, checkpoint: checkpointNumber, at });
    };
    const after = this.#after;
    if (after && after.number !== number + 1) find('checkpoint missing', after.number - 1);
    else if (after && !after.previous.equals(checkpoint.hash)) find('checkpoint not chained', after.number);
    this.#after = { number, previous };
    const problems = this.#keys.check(checkpoint);
    for (const problem of problems) find(problem);
    return { findings, isSigned: problems.length === 0 };
  }

  /** Called after the oldest one. */
  end(): Finding[] {
    if (!this.#after) return [];
    const { number, previous } = this.#after;
    if (number !== 1) return [{ problem: 'checkpoint missing', checkpoint: number - 1 }];
    return previous.equals(noPrevious) ? [] : [{ problem: 'checkpoint not chained', checkpoint: 1 }];
  }
}
