import fc from 'fast-check';
import type { JsonObject } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../fhir-store-under-test';
import type { Bundle, RecordOverHttp } from '../../record-over-http';
import { populate } from './population';

const observation = (n: number): JsonObject => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: `kind ${n % 3}` },
  ...(n % 5 === 0 ? {} : { effectiveDateTime: `20${10 + (n % 7)}-05-0${1 + (n % 9)}` }),
  valueQuantity: { value: n % 4 },
});

/** The R4 http page, #paging: whatever happens between two pages, nothing that stays is lost or comes twice. */
describe('paging, for any order, size and concurrent writes', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  async function pageThrough(
    user: RecordOverHttp,
    address: string,
    between: (page: number) => Promise<void>,
  ): Promise<string[]> {
    const seen: string[] = [];
    let page = 0;
    for (let next: string | undefined = address; next !== undefined; page++) {
      const bundle: Bundle = await user.bundle(next);
      seen.push(...bundle.matches.map(({ id }) => id ?? ''));
      next = bundle.link('next');
      await between(page);
    }
    return seen;
  }

  it('each resource that stays comes exactly once, and none comes twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          '',
          '_sort=date',
          '_sort=-date',
          '_sort=_lastUpdated',
          '_sort=-_lastUpdated',
          '_sort=value-quantity,-date',
          '_sort=code',
          '_sort=-_id',
          'code:text=kind',
          'status=final&_sort=date',
        ),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 14 }),
        fc.array(fc.record({ page: fc.nat(6), does: fc.constantFrom('creates', 'deletes'), which: fc.nat(13) }), {
          maxLength: 5,
        }),
        async (query, count, amount, writes) => {
          const user = store.user();
          const ids =
            amount === 0
              ? []
              : await populate(
                  user,
                  Array.from({ length: amount }, (_, n) => observation(n)),
                );
          const deleted = new Set<string>();
          const seen = await pageThrough(user, `/r4/Observation?_count=${count}&${query}`, async (page) => {
            for (const { does, which } of writes.filter((write) => write.page === page)) {
              const id = ids[which];
              if (does === 'creates') await user.create('r4', observation(which));
              else if (id !== undefined) {
                deleted.add(id);
                await user.send('delete', `/r4/Observation/${id}`);
              }
            }
          });
          expect(new Set(seen).size).toBe(seen.length);
          expect(ids.filter((id) => !deleted.has(id) && !seen.includes(id))).toEqual([]);
        },
      ),
      { seed: 20260102, numRuns: 40 },
    );
  });

  it('the pages back from any page hold, once each, what stays before it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          '',
          '_sort=date',
          '_sort=-date',
          '_sort=-_lastUpdated',
          '_sort=value-quantity,-date',
          '_sort=code',
          'code:text=kind',
        ),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 14 }),
        fc.nat(6),
        fc.array(fc.record({ page: fc.nat(4), does: fc.constantFrom('creates', 'deletes'), which: fc.nat(13) }), {
          maxLength: 6,
        }),
        async (query, count, amount, turn, writes) => {
          const user = store.user();
          const ids = await populate(
            user,
            Array.from({ length: amount }, (_, n) => observation(n)),
          );
          const write = async (at: number): Promise<void> => {
            for (const { does, which } of writes.filter(({ page }) => page === at)) {
              const id = ids[which];
              if (does === 'creates') await user.create('r4', observation(which));
              else if (id !== undefined) await user.send('delete', `/r4/Observation/${id}`);
            }
          };
          const idsOf = (page: Bundle): string[] => page.matches.map(({ id }) => id ?? '');
          const first = `/r4/Observation?_count=${count}&${query}`;
          let page = await user.bundle(first);
          expect(page.link('previous')).toBeUndefined();
          const before: string[] = [];
          for (let at = 0, next = page.link('next'); at < turn && next !== undefined; at++) {
            before.push(...idsOf(page));
            page = await user.bundle(next);
            next = page.link('next');
          }
          const back: string[][] = [];
          let last = page;
          for (let at = 0, previous = page.link('previous'); previous !== undefined; at++) {
            await write(at);
            last = await user.bundle(previous);
            previous = last.link('previous');
            const isRepeated = idsOf(last).some((id) => back.flat().includes(id));
            if (!isRepeated) back.unshift(idsOf(last));
            else {
              // The first page is shown in place of a previous page whose resources are all deleted.
              expect([writes.some(({ does }) => does === 'deletes'), previous]).toEqual([true, undefined]);
              expect(idsOf(last)).toEqual(idsOf(await user.bundle(first)));
            }
          }
          const seen = back.flat();
          expect(new Set(seen).size).toBe(seen.length);
          if (writes.length === 0) expect(seen).toEqual(before);
          const stays = (await user.all('/r4/Observation?_count=1000')).map(({ id }) => id ?? '');
          expect(before.filter((id) => stays.includes(id) && !seen.includes(id))).toEqual([]);
          // The way forward again holds everything, in the same order.
          if (back.length === 0 || last.link('next') === undefined) return;
          const forth = await pageThrough(user, last.link('next') ?? '', () => Promise.resolve());
          const again = [...idsOf(last), ...forth];
          expect(ids.filter((id) => stays.includes(id) && !again.includes(id))).toEqual([]);
          expect(new Set(again).size).toBe(again.length);
        },
      ),
      { seed: 20260104, numRuns: 60 },
    );
  });

  it('the pages together are the one large page', async () => {
    const user = store.user();
    await populate(
      user,
      Array.from({ length: 30 }, (_, n) => observation(n)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          '_sort=date',
          '_sort=-date',
          '_sort=value-quantity',
          '_sort=code,-date',
          'code:text=kind',
          'value-quantity=ge1',
          '_sort=-_lastUpdated',
        ),
        fc.integer({ min: 1, max: 31 }),
        async (query, count) => {
          const whole = (await user.bundle(`/r4/Observation?_count=1000&${query}`)).matches.map(({ id }) => id);
          expect(await pageThrough(user, `/r4/Observation?_count=${count}&${query}`, async () => undefined)).toEqual(
            whole,
          );
        },
      ),
      { seed: 20260103, numRuns: 40 },
    );
  });
});
