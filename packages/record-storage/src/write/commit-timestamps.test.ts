import { run } from '../postgres/statement';
import { OBSERVATION, type TestStorage, content, newId, openTestStorage } from '../../test/storage';
import { RecordStorage } from '../record-storage';
import { WriteNotConfirmedError } from '../errors';
import { CommitTimestampAllocator, MAX_LEAD_MS, waitOutLead } from './commit-timestamps';

/** A database whose clock differs by `offset` and that is reached after `delay`. */
function write(clock: CommitTimestampAllocator, offset: number, delay: number): { inTime: boolean; at: number } {
  const { at, allocatedAt: chosen } = clock.allocate(0);
  const executedAt = chosen + delay + offset;
  clock.observe({ at, allocatedAt: chosen, executedAt });
  return { inTime: executedAt <= at, at };
}

describe('CommitTimestampAllocator', () => {
  it.each([0, 3000, -3000, 3_600_000, -3_600_000])(
    'soon chooses times that the database takes, its clock being %d ms ahead',
    (offset) => {
      const clock = new CommitTimestampAllocator();
      const tries = Array.from({ length: 200 }, (_, i) => write(clock, offset, i % 4).inTime);
      expect(tries.slice(20).filter((inTime) => !inTime).length).toBeLessThan(20);
      // and not far in the future
      expect(clock.allocate(0).at - (Date.now() + offset)).toBeLessThan(10);
    },
  );

  it('does not stay far ahead after a few slow writes', () => {
    const clock = new CommitTimestampAllocator();
    for (let i = 0; i < 3; i++) write(clock, 0, 500);
    for (let i = 0; i < 64; i++) write(clock, 0, 1);
    expect(clock.allocate(0).at - Date.now()).toBeLessThan(5);
  });

  it('allocates a time later than the given one', () => {
    const later = Date.now() + 60_000;
    expect(new CommitTimestampAllocator().allocate(later).at).toBe(later + 1);
  });
});

it('a committed write whose lead cannot be waited out does not fail as if nothing was written', async () => {
  const unreachable = { query: () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })) };
  const waiting = waitOutLead(unreachable, { at: 2 + MAX_LEAD_MS, executedAt: 1 });
  await expect(waiting).rejects.toThrow(WriteNotConfirmedError);
});

describe('a host whose clock is wrong', () => {
  let test: TestStorage;
  const now = Date.now;
  beforeAll(async () => {
    test = await openTestStorage();
  });
  afterEach(() => {
    Date.now = now;
  });
  afterAll(() => test.close());

  async function aheadOfDatabase(time: number): Promise<number> {
    const [row] = await run(
      test.pool,
      { text: 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint' },
      [],
    );
    return time - Number(row?.[0]);
  }

  it.each([3000, -3000, 3_600_000, -3_600_000])(
    'by %d ms writes at the time of the database from its first write on',
    async (wrongBy) => {
      Date.now = () => now() + wrongBy;
      const storage = new RecordStorage({ pool: test.pool, kek: test.kek });
      const record = storage.record(test.newRecord().userId, 'client-1');
      for (let i = 0; i < 3; i++) {
        const { lastUpdated } = await record.create(OBSERVATION, newId(), content('"a":1'));
        expect(await aheadOfDatabase(lastUpdated)).toBeLessThan(1000);
      }
      await storage.close();
    },
  );

  it('writes at the time of the database when its clock is set while it runs', async () => {
    const record = test.newRecord();
    const id = newId();
    await record.create(OBSERVATION, id, content('"a":1'));
    for (const wrongBy of [3_600_000, -3_600_000, 0]) {
      Date.now = () => now() + wrongBy;
      const { lastUpdated } = await record.update(OBSERVATION, id, content('"a":2'));
      expect(await aheadOfDatabase(lastUpdated)).toBeLessThan(1000);
    }
  });
});
