import type { AuditBlocks, BlockPlace, BlockRange, ReadBlocks } from './audit-blocks';

/** Where a scan is in the order of time. */
export interface ScanPosition {
  /** Epoch milliseconds: the last one that was not searched completely; in an ascending scan, the first one. */
  time: number;
  /** The last block that was read, when others of the same time may follow. */
  after?: BlockPlace | undefined;
}

export interface ScannedBlocks extends Pick<ReadBlocks, 'blocks' | 'count'> {
  /** Where the scan continues. */
  reached: ScanPosition;
}

export interface ScanRange extends Pick<BlockRange, 'keys' | 'service' | 'from' | 'before' | 'isDescending'> {
  /** Where an earlier scan of the same range has ended. */
  position?: ScanPosition | undefined;
}

/** Blocks that are read at once, which bounds the memory. */
const blocksAtOnce = 500;
/** The length of the first period that is searched, in milliseconds. */
const firstPeriodMs = 3_600_000;
/** How much longer the next period is after one with few blocks. */
const growth = 4;
/** How far the clock of a writer may be ahead of this one, in milliseconds. */
const clockToleranceMs = 60_000;

/**
 * Reads blocks in the order of time, one period after the other: each statement is short, however long ago the events
 * are and however few there are.
 */
export async function* scanBlocks(log: AuditBlocks, range: ScanRange): AsyncGenerator<ScannedBlocks> {
  const first = await log.firstTime();
  if (first === undefined) return;
  const { keys, service, isDescending } = range;
  const from = Math.max(range.from, Math.floor(first));
  const before = Math.min(range.before, Date.now() + clockToleranceMs);
  let periodMs = firstPeriodMs;
  let { time, after }: ScanPosition = range.position ?? { time: isDescending ? before - 1 : from };
  for (;;) {
    const period = isDescending
      ? { from: Math.max(time + 1 - periodMs, from), before: Math.min(time + 1, before) }
      : { from: Math.max(time, from), before: Math.min(time + periodMs, before) };
    if (period.from >= period.before) return;
    const { blocks, count, last } = await log.range({
      keys,
      service,
      ...period,
      isDescending,
      after,
      limit: blocksAtOnce,
    });
    if (last) ({ startedAt: time } = after = last);
    else [time, after] = [isDescending ? period.from - 1 : period.before, undefined];
    if (!last && count < blocksAtOnce / growth) periodMs *= growth;
    yield { blocks, count, reached: { time, after } };
  }
}
