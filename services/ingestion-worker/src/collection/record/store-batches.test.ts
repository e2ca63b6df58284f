import { batchesOf, storeInBatches } from './store-batches';

describe('batchesOf', () => {
  it('limits batches by number and size', () => {
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
  it('returns the outcomes in the order of the resources', async () => {
    const resources = Array.from({ length: 700 }, (_x, index) => `${index}`);
    const outcomes = await storeInBatches(resources, (ndjson) =>
      Promise.resolve(
        ndjson
          .trim()
          .split('\n')
          .map((source_id) => ({ outcome: 'stored' as const, source_id })),
      ),
    );
    expect(outcomes.map(({ source_id }) => source_id)).toEqual(resources);
  });

  it('rejects a response with too few outcomes', async () => {
    await expect(storeInBatches(['a', 'b'], () => Promise.resolve([{ outcome: 'stored' }]))).rejects.toThrow(
      '1 outcomes for 2 resources',
    );
  });
});
