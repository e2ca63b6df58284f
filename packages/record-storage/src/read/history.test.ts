import { CONDITION, OBSERVATION, type TestStorage, content, newId, openTestStorage, textOf } from '../../test/storage';
import type { HistoryCursor, HistoryVersion, HistoryQuery } from './history';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

describe('history', () => {
  it('returns all versions and deletions, newest first', async () => {
    const record = test.newRecord();
    const [a, b] = [newId(), newId()];
    await record.create(OBSERVATION, a, content('"v":1'));
    await record.create(CONDITION, b, content('"v":2'));
    await record.update(OBSERVATION, a, content('"v":3'));
    await record.delete(OBSERVATION, a);
    await record.update(OBSERVATION, a, content('"v":5'));
    const { versions, total } = await record.history({
      scope: { typeCode: OBSERVATION, id: a },
      limit: 10,
      total: true,
    });
    expect(total).toBe(4);
    expect(versions.map(({ version, deleted }) => [version, deleted])).toEqual([
      [4, false],
      [3, true],
      [2, false],
      [1, false],
    ]);
    expect(versions.map((entry) => textOf(entry)?.match(/"v":\d/)?.[0])).toEqual([
      '"v":5',
      undefined,
      '"v":3',
      '"v":1',
    ]);
    expect((await record.history({ scope: { typeCodes: [CONDITION] }, limit: 10 })).versions).toHaveLength(1);
    expect((await record.history({ scope: 'record', limit: 10 })).versions).toHaveLength(5);
  });

  it('returns pages, and filters by time', async () => {
    const record = test.newRecord();
    const id = newId();
    const times: number[] = [];
    for (let i = 1; i <= 12; i++) times.push((await record.update(OBSERVATION, id, content(`"v":${i}`))).lastUpdated);
    const versions = async (query: Omit<HistoryQuery, 'limit' | 'scope'>): Promise<number[]> => {
      const versions: HistoryVersion[] = [];
      let after: HistoryCursor | undefined;
      do {
        const page = await record.history({ scope: 'record', limit: 5, ...query, ...(after ? { after } : {}) });
        versions.push(...page.versions);
        after = page.next;
      } while (after);
      return versions.map(({ version }) => version);
    };
    expect(await versions({})).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await versions({ since: times[9] as number })).toEqual([12, 11, 10]);
    expect(await versions({ at: { low: times[2] as number, high: times[4] as number } })).toEqual([4, 3]);
    expect(await versions({ at: { low: (times[2] as number) + 0, high: (times[2] as number) + 1 } })).toEqual([3]);
    expect((await record.history({ scope: 'record', limit: 1, since: times[9] as number, total: true })).total).toBe(3);
  });

  it('ends a page before more content than a page may hold', async () => {
    const record = test.newRecord();
    const id = newId();
    const text = (v: number): string => `"v":${v},"text":"${'x'.repeat(1_000_000)}"`;
    for (let v = 1; v <= 6; v++) await record.update(OBSERVATION, id, content(text(v)));
    await record.delete(OBSERVATION, id);
    await record.create(CONDITION, newId(), content('"small":true'));
    const sizes: number[] = [];
    const seen: number[] = [];
    let after: HistoryCursor | undefined;
    do {
      const page = await record.history({
        scope: 'record',
        limit: 20,
        maxBytes: 2_500_000,
        ...(after ? { after } : {}),
      });
      sizes.push(page.versions.length);
      seen.push(...page.versions.filter(({ typeCode }) => typeCode === OBSERVATION).map(({ version }) => version));
      after = page.next;
    } while (after);
    expect(sizes).toEqual([4, 2, 2]);
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1]);
    const one = await record.history({ scope: { typeCode: OBSERVATION, id }, limit: 20, maxBytes: 10 });
    // The deletion has no content.
    expect(one.versions.map(({ version }) => version)).toEqual([7]);
    const [next] = (
      await record.history({
        scope: { typeCode: OBSERVATION, id },
        limit: 20,
        maxBytes: 10,
        after: one.next as HistoryCursor,
      })
    ).versions;
    expect([next?.version, textOf(next)?.length]).toEqual([6, expect.any(Number)]);
  });
});
