import { batchesOf, storeInBatches } from './store-lines';

describe('batchesOf', () => {
  it('keeps batches to what the store takes in one go', () => {
    expect(batchesOf(Array.from({ length: 1201 }, () => 'x')).map(({ length }) => length)).toEqual([500, 500, 201]);
    expect(
      batchesOf(['x'.repeat(5_000_000), 'x'.repeat(5_000_000), 'x'.repeat(20_000_000), 'x']).map(
        ({ length }) => length,
      ),
    ).toEqual([1, 1, 1, 1]);
    expect(batchesOf([])).toEqual([]);
  });
});

describe('storeInBatches', () => {
  it('gives the outcomes in the order of the lines', async () => {
    const lines = Array.from({ length: 700 }, (_x, index) => `${index}`);
    const outcomes = await storeInBatches(lines, (ndjson) =>
      Promise.resolve(
        ndjson
          .trim()
          .split('\n')
          .map((source_id) => ({ outcome: 'stored' as const, source_id })),
      ),
    );
    expect(outcomes.map(({ source_id }) => source_id)).toEqual(lines);
  });

  it('does not take a short answer for a good one', async () => {
    await expect(storeInBatches(['a', 'b'], () => Promise.resolve([{ outcome: 'stored' }]))).rejects.toThrow(
      '1 lines out of 2',
    );
  });
});
