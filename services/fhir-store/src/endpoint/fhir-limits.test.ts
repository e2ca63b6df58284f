import { type ClientRequest, request as httpRequest } from 'node:http';
import { startTcpProxy, testRedis, waitUntil } from '@tributary/test-environment';
import type { Response } from 'supertest';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { type RecordOverHttp, resourceOf } from '../../test/record-over-http';
import { costOfEntries } from './fhir-limits';

const patient = { resourceType: 'Patient' };
/** How many tokens remain of a limit, by the header of a response. */
function remaining(response: Response, name: string): number {
  const [, tokens] = new RegExp(`"fhir-${name}";r=(\\d+)`).exec(String(response.headers['ratelimit'])) ?? [];
  return Number(tokens);
}

describe('the rate limits of FHIR requests', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    // A token in more than an hour: none is added during a test.
    store = await FhirStoreUnderTest.start({ limits: { rates: 'fhir-user=50/360000,fhir-client=200/864000' } });
  });
  afterAll(() => store.stop());

  it('are in the headers of every response to a user', async () => {
    const user = store.user();
    const created = await user.send('post', '/r4/Patient', patient);
    expect(created.headers['ratelimit-policy']).toBe('"fhir-user";q=50;w=360000, "fhir-client";q=200;w=864000');
    expect(remaining(created, 'user')).toBe(49);
    const missing = await user.get('/r4/Patient/none');
    expect([missing.status, remaining(missing, 'user')]).toEqual([404, 48]);
    expect(missing.headers['access-control-expose-headers']).toContain('RateLimit');
    expect((await user.get('/r4/metadata')).headers['ratelimit']).toBeUndefined();
    expect((await user.get('/r4/Patient').auth('unknown-token-0123', { type: 'bearer' })).headers['ratelimit']).toBe(
      undefined,
    );
  });

  it('count costly requests more', async () => {
    const user = store.user();
    const { id } = await user.create('r4', patient);
    const costOf = async (address: string): Promise<number> => {
      const before = remaining(await user.get('/r4/Patient/none'), 'user');
      return before - remaining(await user.get(address), 'user');
    };
    expect(await costOf(`/r4/Patient/${id}/$everything`)).toBe(10);
    expect(await costOf(`/r4/Patient/${id}/_history`)).toBe(2);
    expect(await costOf(`/r4/Patient/${id}/_history/1`)).toBe(1);
    const entry = Array.from({ length: 25 }, () => ({ request: { method: 'GET', url: `Patient/${id}` } }));
    const before = remaining(await user.get('/r4/Patient/none'), 'user');
    const batch = await user.send('post', '/r4', { resourceType: 'Bundle', type: 'batch', entry });
    expect([batch.status, before - remaining(batch, 'user')]).toEqual([200, 3]);
    const reads = (count: number): string[] => Array.from({ length: count }, () => '{type}/{id}');
    expect([0, 1, 10, 11, 10_000].map((count) => costOfEntries(reads(count)))).toEqual([0, 0, 0, 1, 999]);
  });

  it('count costly entries of a Bundle as much as outside of it', async () => {
    const user = store.user();
    const { id } = await user.create('r4', patient);
    for (const type of ['batch', 'transaction']) {
      const entry = [
        `Patient/${id}/$everything`,
        `Patient/${id}/_history`,
        `Patient/${id}/$everything?_type=Observation`,
        `Patient/${id}`,
      ].map((url) => ({ request: { method: 'GET', url } }));
      const before = remaining(await user.get('/r4/Patient/none'), 'user');
      const response = await user.send('post', '/r4', { resourceType: 'Bundle', type, entry });
      expect([response.status, before - remaining(response, 'user')]).toEqual([200, 23]);
    }
    const names = ['{type}/{id}/$everything', '', '{type}/{id}', '{type}/_history'];
    expect(costOfEntries(names)).toBe(12);
  });

  it('refuse one user and not another', async () => {
    const user = store.user();
    const responses: Response[] = [];
    while (responses.at(-1)?.status !== 429) responses.push(await user.get('/r4/Patient/none'));
    expect(responses).toHaveLength(51);
    const refused = responses.at(-1)!;
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3600);
    expect(remaining(refused, 'user')).toBe(0);
    expect(resourceOf(refused)).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [
        {
          code: 'throttled',
          diagnostics: 'too many requests: the limit fhir-user allows 50 in 360000 seconds',
        },
      ],
    });
    expect((await store.user().get('/r4/Patient/none')).status).toBe(404);
    expect((await user.get('/r4/metadata')).status).toBe(200);
  });

  it('refuse all users of a client', async () => {
    const statuses = new Set<number>();
    while (!statuses.has(429)) {
      const user = store.user();
      for (let i = 0; i < 40 && !statuses.has(429); i++) {
        const response = await user.get('/r4/Patient/none');
        statuses.add(response.status);
        if (response.status === 429)
          expect(resourceOf(response)).toMatchObject({
            issue: [{ diagnostics: expect.stringContaining('fhir-client') }],
          });
      }
    }
  });
});

it('the tokens of an address that are not valid are limited, and others are not', async () => {
  const store = await FhirStoreUnderTest.start({ limits: { rates: 'failed-tokens=3/86400' } });
  try {
    const user = store.user();
    expect((await user.get('/r4/Patient')).status).toBe(200);
    const unknown = (n: number): Promise<Response> =>
      Promise.resolve(user.get('/r4/Patient').auth(`unknown-token-000${n}`, { type: 'bearer' }));
    const responses: Response[] = [];
    for (let n = 0; n < 4; n++) responses.push(await unknown(n));
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
    expect(resourceOf(responses[3]!)).toMatchObject({
      issue: [
        { code: 'throttled', diagnostics: 'too many requests: the limit failed-tokens allows 3 in 86400 seconds' },
      ],
    });
    expect(Number(responses[3]!.headers['retry-after'])).toBeGreaterThan(3600);
    expect((await user.get('/r4/metadata')).status).toBe(200);
  } finally {
    await store.stop();
  }
});

it('serves reads while Redis hangs', async () => {
  const proxy = await startTcpProxy(testRedis().url);
  const store = await FhirStoreUnderTest.start({ redisUrl: proxy.url });
  try {
    proxy.hang();
    const user = store.user();
    const answers = await Promise.all(Array.from({ length: 40 }, () => user.get('/r4/Patient')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  } finally {
    await store.stop();
    await proxy.close();
  }
});

describe('the requests of a user at once', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start({ limits: { concurrent: 3 } });
  });
  afterAll(() => store.stop());

  /** A request whose body has not arrived, so that it stays in progress. */
  function openRequest(user: RecordOverHttp): ClientRequest {
    const opened = httpRequest(`${store.url}/r4/Patient`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${user.token}`,
        'Content-Type': 'application/fhir+json',
        'Content-Length': '1000',
      },
    });
    opened.on('error', () => undefined);
    opened.write('{');
    return opened;
  }

  const statusOf = async (user: RecordOverHttp): Promise<number> => (await user.get('/r4/Patient/none')).status;
  async function until(user: RecordOverHttp, status: number): Promise<void> {
    await waitUntil(async () => (await statusOf(user)) === status);
  }

  it('are limited, and those of another user are served', async () => {
    const user = store.user();
    const opened = [1, 2, 3].map(() => openRequest(user));
    await until(user, 429);
    const refused = await user.get('/r4/Patient/none');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(resourceOf(refused)).toMatchObject({
      issue: [
        { code: 'throttled', diagnostics: 'too many requests of the user are in progress: 3 are allowed at once' },
      ],
    });
    expect(await statusOf(store.user())).toBe(404);
    opened[0]!.destroy();
    await until(user, 404);
    for (const each of opened) each.destroy();
  });

  it('are counted until they end, however they end', async () => {
    const user = store.user();
    for (let round = 0; round < 10; round++) {
      const opened = openRequest(user);
      opened.destroy();
      await user.get('/r4/Patient');
      await user.send('post', '/r4/Patient', 'no JSON');
      await user.send('post', '/r4/Patient', patient);
      await user.send('head', '/r4/Patient');
    }
    await until(user, 404);
    const statuses = await Promise.all([statusOf(user), statusOf(user), statusOf(user)]);
    expect(statuses).toEqual([404, 404, 404]);
  });
});
