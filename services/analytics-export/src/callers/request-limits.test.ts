import { routesByLimit } from '@tributary/test-environment';
import { ExportUnderTest, exportAddress } from '../../test/export-under-test';

describe('rate limits of exports', () => {
  let service: ExportUnderTest;
  beforeAll(async () => {
    service = await ExportUnderTest.start({
      variables: { RATE_LIMITS: 'export=2/86400,download=2/86400,export-status=3/86400' },
    });
  });
  afterAll(() => service.stop());

  it('count each user, and each client for all of its users, by itself', async () => {
    const client = service.newClient();
    const callers = [service.newUser(client).bearer, service.newUser(client).bearer, client.headers];
    for (const headers of callers) {
      const statuses = [];
      for (let i = 0; i < 3; i++) statuses.push((await service.get(exportAddress, { ...headers })).status);
      expect(statuses).toEqual([200, 200, 429]);
    }
    const refused = await service.get(exportAddress, { ...client.headers });
    expect(refused.body).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [{ code: 'throttled', diagnostics: 'too many requests: the limit export allows 2 in 86400 seconds' }],
    });
    expect(refused.headers['ratelimit-policy']).toBe('"export";q=2;w=86400');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(40_000);
  });

  it('are told to a client, with the exports that are not finished, and asking uses nothing', async () => {
    const [client, other] = [service.newClient(), service.newClient()];
    const usage = async ({ headers }: typeof client): Promise<Record<string, number>> => {
      const { status, body } = await service.get('/bulk-data/v1/usage', { ...headers });
      expect(status).toBe(200);
      const { entry } = body as { entry: { name: string; remaining: number }[] };
      return Object.fromEntries(entry.map(({ name, remaining }) => [name, remaining]));
    };
    const before = { export: 2, download: 2, 'export-status': 3, 'unfinished-exports': 10 };
    expect(await usage(client)).toEqual(before);
    await service.get(exportAddress, { ...client.headers });
    for (let i = 0; i < 3; i++) expect(await usage(client)).toEqual({ ...before, export: 1 });
    expect(await usage(other)).toEqual(before);
  });

  it('count requests for the status of exports and their deletions, apart from exports', async () => {
    const { bearer } = service.newUser();
    const path = exportAddress.replace('$export', '$export-status/11111111-1111-4111-8111-111111111111');
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await service.get(path, bearer)).status);
    expect(statuses).toEqual([404, 404, 404, 429, 429]);
    expect((await service.get(exportAddress, bearer)).status).toBe(200);
  });

  it('exist for every route that needs credentials', async () => {
    const { body } = await service.get('/openapi.json', {});
    const { limited, unlimited } = routesByLimit(body);
    expect(unlimited).toEqual([]);
    expect(limited.length).toBeGreaterThan(5);
  });

  it('count downloads of files and attachments together, apart from exports', async () => {
    const { bearer } = service.newUser();
    const statusOf = async (path: string): Promise<number> =>
      (await service.get(exportAddress.replace('$export', path), bearer)).status;
    expect([
      await statusOf('Binary/none'),
      await statusOf('$export/Patient/none.ndjson'),
      await statusOf('Binary/none'),
      await statusOf('$export/Patient/none.ndjson'),
    ]).toEqual([404, 404, 429, 429]);
    expect(await statusOf('$export')).toBe(200);
  });
});
