import fc from 'fast-check';
import { type BlockSummary, planCompaction } from './compaction-plan';

let nextId = 0;
const block = (entryCount: number, rest: Partial<BlockSummary> = {}): BlockSummary => ({
  blockId: String(++nextId),
  entryCount,
  plainBytes: entryCount * 300,
  history: false,
  superseded: 0,
  ...rest,
});
const blocks = (count: number, entryCount: number, rest: Partial<BlockSummary> = {}): BlockSummary[] =>
  Array.from({ length: count }, () => block(entryCount, rest));

describe('planCompaction', () => {
  it('does not select blocks without a benefit', () => {
    expect(planCompaction([])).toEqual([]);
    expect(planCompaction([...blocks(3, 1), ...blocks(3, 10), ...blocks(3, 40), ...blocks(50, 60)])).toEqual([]);
    expect(planCompaction(blocks(50, 60, { superseded: 14 }))).toEqual([]);
    // A large resource on its own is as good as it gets, also once it is superseded.
    expect(planCompaction(blocks(20, 1, { plainBytes: 1_000_000, superseded: 1 }))).toEqual([]);
  });

  it('selects four blocks of one tier, and those of lower tiers', () => {
    const [small, middle] = [blocks(2, 1), blocks(4, 10)];
    expect(
      planCompaction([...middle, ...blocks(2, 40), ...small])
        .map(({ entryCount }) => entryCount)
        .toSorted(),
    ).toEqual([1, 1, 10, 10, 10, 10]);
  });

  it('includes the next tier when the result would complete it', () => {
    expect(planCompaction([...blocks(4, 1), ...blocks(3, 4)])).toHaveLength(7);
    expect(planCompaction([...blocks(4, 1), ...blocks(2, 4)])).toHaveLength(4);
  });

  it('takes full blocks of which a quarter is superseded, and fragments of superseded entries apart', () => {
    const sparse = block(60, { superseded: 15 });
    expect(planCompaction([sparse, ...blocks(9, 60, { superseded: 14 })])).toEqual([sparse]);
    const history = blocks(4, 2, { history: true });
    expect(planCompaction([...history, ...blocks(3, 1)])).toEqual(history);
  });

  it('stays within the limits of one transaction', () => {
    const anyBlock = fc.record({
      entryCount: fc.integer({ min: 1, max: 100 }),
      size: fc.integer({ min: 100, max: 900 }),
      superseded: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(fc.array(anyBlock, { maxLength: 500 }), (all) => {
        const chosen = planCompaction(
          all.map(({ entryCount, size, superseded }) =>
            block(entryCount, { plainBytes: entryCount * size, superseded: Math.min(entryCount, superseded) }),
          ),
        );
        expect(chosen.reduce((sum, { entryCount }) => sum + entryCount, 0)).toBeLessThanOrEqual(400);
        expect(chosen.reduce((sum, { plainBytes }) => sum + plainBytes, 0)).toBeLessThanOrEqual(262_144);
      }),
    );
  });
});
