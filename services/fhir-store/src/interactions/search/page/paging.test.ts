import { JsonSealer } from '@tributary/key-vault';
import { typeCodeOf } from '@tributary/record-storage';
import { PageTokens } from '../../../fhir-http/page-tokens';
import { FhirStoreUnderTest } from '../../../../test/fhir-store-under-test';
import { type Bundle, type RecordOverHttp, resourceOf } from '../../../../test/record-over-http';

const secret = 'page token key of the test';
let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());

const observation = { resourceType: 'Observation', status: 'final', code: { text: 'x' } };

/** Goes through all pages, and does something after each. */
async function walk(
  user: RecordOverHttp,
  address: string,
  afterPage: (page: number) => Promise<void> = () => Promise.resolve(),
): Promise<Bundle[]> {
  const pages: Bundle[] = [];
  for (let next: string | undefined = address; next !== undefined;) {
    const page: Bundle = await user.bundle(next);
    pages.push(page);
    await afterPage(pages.length);
    next = page.link('next');
  }
  return pages;
}

const idsOf = (pages: readonly Bundle[]): string[] => pages.flatMap((page) => page.matches.map(({ id }) => id ?? ''));

describe('the newest first', () => {
  async function filled(): Promise<{ user: RecordOverHttp; ids: string[] }> {
    const user = store.user();
    for (let n = 0; n < 12; n++) await user.create('r4', observation);
    // lastUpdated orders them: it may differ by milliseconds from the order of the requests.
    const newestFirst = await user.bundle('/r4/Observation?_sort=-_lastUpdated&_count=12');
    return { user, ids: idsOf([newestFirst]).toReversed() };
  }

  it('returns resources that are updated between two pages again, and all others once', async () => {
    const { user, ids } = await filled();
    const pages = await walk(user, '/r4/Observation?_sort=-_lastUpdated&_count=4', async (page) => {
      if (page > 2) return;
      // The oldest is on none of the first two pages.
      await user.send('put', `/r4/Observation/${ids[0]}`, { ...observation, id: ids[0] ?? '', status: 'amended' });
      await user.create('r4', observation);
    });
    const shown = idsOf(pages);
    expect(ids.filter((id) => !shown.includes(id))).toEqual([]);
    expect(shown.filter((id) => id !== ids[0])).toHaveLength(11);
    expect(pages.flatMap((page) => page.matches).findLast(({ id }) => id === ids[0])).toMatchObject({
      status: 'amended',
    });
  });

  it('leads back from the updated resources to the ordered pages, and forward again', async () => {
    const { user, ids } = await filled();
    const pages = await walk(user, '/r4/Observation?_sort=-_lastUpdated&_count=4', async (page) => {
      if (page === 2) await user.send('put', `/r4/Observation/${ids[0]}`, { ...observation, id: ids[0] ?? '' });
    });
    expect(pages.map((page) => page.matches.length)).toEqual([4, 4, 3, 1]);
    const back: Bundle[] = [];
    for (let previous = pages.at(-1)?.link('previous'); previous !== undefined;) {
      const page = await user.bundle(previous);
      back.unshift(page);
      previous = page.link('previous');
    }
    // The updated resource is the newest now.
    expect(idsOf(back)).toEqual([ids[0], ...ids.slice(1).toReversed()]);
    expect(idsOf(await walk(user, back[0]?.link('next') ?? ''))).toEqual(
      [...ids.slice(1).toReversed(), ids[0]].slice(back[0]?.matches.length ? back[0].matches.length - 1 : 0),
    );
  });

  it('ends with the last page when nothing is updated', async () => {
    const { user, ids } = await filled();
    const pages = await walk(
      user,
      '/r4/Observation?_sort=-_lastUpdated&_count=4',
      async () => void (await user.create('r4', observation)),
    );
    expect([pages.length, idsOf(pages).toSorted()]).toEqual([3, ids.toSorted()]);
  });
});

describe('a paging link of another version of the service gets 410', () => {
  it.each([
    ['Patient', 'r4/Patient'],
    ['_history', 'r4/_history'],
    ['Patient/$everything', 'r4/Patient/$everything'],
  ])('%s', async (address, sealedFor) => {
    const user = store.user();
    await user.create('r4', { resourceType: 'Patient' });
    const sealer = new JsonSealer({ secret, use: 'page tokens', deflateFromBytes: 1000, maxBytes: 1000 });
    const withoutVersion = sealer.sealToken({ query: '', after: { store: ['x'] } }, `page ${user.userId} ${sealedFor}`);
    const tokens = new PageTokens(secret);
    const states: unknown[] = [
      { nonsense: true },
      7,
      null,
      { query: '', after: [1], members: [1], referred: { keys: 3 } },
    ];
    for (const token of [withoutVersion, ...states.map((state) => tokens.seal(state, user.userId, sealedFor))]) {
      const response = await user.get(`/r4/${address}?_page=${token}`);
      expect([response.status, resourceOf(response).resourceType]).toEqual([410, 'OperationOutcome']);
    }
    expect((await user.get(`/r4/${address}?_page=${'x'.repeat(60)}`)).status).toBe(400);
  });

  it.each([[['x', 'y']], [['not-a-uuid']], [[null, null, null]]])('a cursor of another order: %j', async (cursor) => {
    const user = store.user();
    await user.create('r4', { resourceType: 'Patient' });
    const token = new PageTokens(secret).seal({ query: '', after: { store: cursor } }, user.userId, 'r4/Patient');
    expect((await user.get(`/r4/Patient?_page=${token}`)).status).toBe(410);
  });
});

it('reads the members of a compartment once for all pages of referenced resources', async () => {
  const user = store.user();
  const { id } = await user.create('r4', { resourceType: 'Patient' });
  const practitioners: string[] = [];
  for (let n = 0; n < 15; n++) practitioners.push((await user.create('r4', { resourceType: 'Practitioner' })).id);
  for (const practitioner of practitioners)
    await user.create('r4', {
      ...observation,
      subject: { reference: `Patient/${id}` },
      performer: [{ reference: `Practitioner/${practitioner}` }],
    });
  const pages = await walk(user, `/r4/Patient/${id}/$everything?_count=6`, async (page) => {
    if (page !== 3) return;
    // Content that no key opens: whoever read the members again would fail.
    await store.pool.query(`UPDATE fhir_store.block SET content = '\\x00' WHERE user_id = $1 AND type_code = $2`, [
      user.userId,
      typeCodeOf('r4', 'Observation'),
    ]);
  });
  const shown = idsOf(pages);
  expect([shown.length, new Set(shown).size]).toEqual([31, 31]);
  expect(practitioners.every((practitioner) => shown.includes(practitioner))).toBe(true);
});
