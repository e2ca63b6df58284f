import { type Checkpoint, CheckpointKeys, type Retirement, contentOf, headsOf } from '../checkpoint/checkpoint';
import { type LogDatabase, dayMs, readCheckpoints, readKeyChanges } from './log-rows';

/** What a retirement is compared with. */
export interface RetirementEvidence {
  /** The keys that sign checkpoints now (`CheckpointKey.publicKey`). */
  checkpointKeys: readonly Buffer[];
  /** Epoch milliseconds: when the retention of a block that is written now has begun. */
  now: number;
  /** The days of audit.retention. */
  retentionDays: number;
}

/** How long after a block its checkpoint can be made, in milliseconds: audit-log may have been down. */
const checkpointDelayMs = 7 * dayMs;
/** How far the clock of a process that has recorded events can have been ahead, in milliseconds. */
const clockAheadMs = 366 * dayMs;

/**
 * Whether the blocks of a retirement were beyond their retention: its partition has ended before, and for each of its
 * heads there is a checkpoint from before that has signed this block or a later one of the stream. Whoever inserts a
 * row to hide a deletion can choose its times, and cannot sign such a checkpoint.
 */
export async function isRetirementProven(
  database: LogDatabase,
  retirement: Pick<Retirement, 'from' | 'to' | 'heads'>,
  { checkpointKeys, now, retentionDays }: RetirementEvidence,
): Promise<boolean> {
  const expired = now - retentionDays * dayMs;
  if (!(retirement.to <= expired)) return false;
  const heads = headsOf(retirement);
  if (!heads) return false;
  const open = new Map(heads.map((head) => [head.streamId, head]));
  if (open.size === 0) return true;
  const keys = new CheckpointKeys(checkpointKeys);
  for (const checkpoint of await readKeyChanges(database)) keys.check(checkpoint);
  const isSigned = (checkpoint: Checkpoint): boolean => keys.check(checkpoint).length === 0;
  for await (const checkpoint of readCheckpoints(database, expired + checkpointDelayMs)) {
    // The blocks of the partition have been written since.
    if (checkpoint.at < retirement.from - clockAheadMs) {
      if (isSigned(checkpoint)) return false;
      continue;
    }
    const found = contentOf(checkpoint)?.heads.filter(
      ({ streamId, sequence }) => sequence >= (open.get(streamId)?.sequence ?? Infinity),
    );
    if (!found || found.length === 0 || !isSigned(checkpoint)) continue;
    for (const { streamId, sequence, hash } of found) {
      const head = open.get(streamId);
      if (head?.sequence === sequence && !head.hash.equals(hash)) return false;
      open.delete(streamId);
    }
    if (open.size === 0) return true;
  }
  return false;
}
