import type { ExportList } from '@tributary/contracts';
import {
  ExportUnderTest,
  type TestClient,
  type TestUser,
  analyticsUrl,
  exportAddress,
  fill,
} from '../../test/export-under-test';

describe('the list of exports', () => {
  let test: ExportUnderTest;
  let client: TestClient;
  let user: TestUser;
  beforeAll(async () => {
    test = await ExportUnderTest.start({ replicas: 2 });
  });
  beforeEach(async () => {
    client = test.newClient();
    user = test.newUser(client);
    await fill(user.record, 'r4', 'Patient', 1);
  });
  afterAll(() => test.stop());

  const listAddress = `${exportAddress}-status`;
  const list = async (headers: Record<string, string>, query = ''): Promise<ExportList> => {
    const { status, body } = await test.get(`${listAddress}${query}`, headers);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body as ExportList;
  };
  /** @returns the id */
  const begin = async (headers: Record<string, string>, query = ''): Promise<string> => {
    const { status, headers: answer } = await test.get(`${exportAddress}${query}`, {
      ...headers,
      Prefer: 'respond-async',
    });
    expect(status).toBe(202);
    return String(answer['content-location']).split('/').at(-1) ?? '';
  };

  it('is empty before the first one', async () => {
    expect(await list(client.headers)).toEqual({ total: 0, offset: 0, limit: 20, entry: [] });
  });

  it('shows state, times and what was asked for, without values that can be clinical', async () => {
    const before = Date.now();
    const query =
      '?_type=Patient,Observation&_since=2026-01-02T03:04:05Z&_elements=gender&_typeFilter=Patient%3Fgender%3Dfemale&_outputFormat=application%2Ffhir%2Bndjson;fhirVersion=4.0';
    const id = await begin(client.headers, query);
    const status_url = `${analyticsUrl}${listAddress}/${id}`;
    await test.finished(status_url, client.headers);
    const { body, text } = await test.get(listAddress, client.headers);
    expect(body).toEqual({
      total: 1,
      offset: 0,
      limit: 20,
      entry: [
        {
          export_id: id,
          status_url,
          state: 'finished',
          progress: 100,
          created_at: expect.any(String),
          expires_at: expect.any(String),
          types: ['Patient', 'Observation'],
          since: '2026-01-02T03:04:05.000Z',
          in_r4: true,
          filters: ['_elements', '_typeFilter'],
        },
      ],
    });
    expect(text).not.toMatch(/female|gender/);
    const [{ created_at, expires_at } = { created_at: '', expires_at: '' }] = (body as ExportList).entry;
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before - 1000);
    const expires = (await test.get(status_url, client.headers)).headers['expires'];
    expect(new Date(expires_at).toUTCString()).toBe(expires);
  });

  it('shows why an export has failed', async () => {
    const id = await begin(client.headers);
    await test.finished(`${listAddress}/${id}`, client.headers);
    const failed = "state = 'failed', error_code = 'too_large', error = 'it is too large'";
    await test.pool.query(`UPDATE analytics_export.export_job SET ${failed} WHERE job_id = $1`, [id]);
    expect((await list(client.headers)).entry).toMatchObject([
      { state: 'failed', error: { code: 'too_large', message: 'it is too large' }, in_r4: false, filters: [] },
    ]);
  });

  it('is paged, newest first, the same on all replicas', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.unshift(await begin(client.headers));
    // Of the same moment.
    const moment =
      "UPDATE analytics_export.export_job SET created_at = date_trunc('hour', now()) WHERE job_id = ANY($1)";
    await test.pool.query(moment, [ids.slice(0, 2)]);
    const all = (await list(client.headers)).entry.map(({ export_id }) => export_id);
    expect(all.toSorted()).toEqual(ids.toSorted());
    const paged: string[] = [];
    for (let offset = 0; offset < 6; offset += 2) {
      const { body } = await test.get(`${listAddress}?limit=2&offset=${offset}`, client.headers, (offset / 2) % 2);
      expect(body).toMatchObject({ total: 5, offset, limit: 2 });
      paged.push(...(body as ExportList).entry.map(({ export_id }) => export_id));
    }
    expect(paged).toEqual(all);
    for (const query of ['?limit=0', '?limit=101', '?offset=-1', '?offset=x'])
      expect((await test.get(`${listAddress}${query}`, client.headers)).status).toBe(400);
  });

  it('has the exports of its caller only, until they are deleted or expire', async () => {
    const [ofClient, ofUser] = [await begin(client.headers), await begin(user.bearer)];
    const other = test.newClient();
    await begin(other.headers);
    const idsOf = async (headers: Record<string, string>): Promise<string[]> =>
      (await list(headers)).entry.map(({ export_id }) => export_id);
    expect([await idsOf(client.headers), await idsOf(user.bearer)]).toEqual([[ofClient], [ofUser]]);
    expect(await idsOf(test.newUser(client).bearer)).toEqual([]);
    const expired = 'UPDATE analytics_export.export_job SET snapshot = snapshot - 86400000 WHERE job_id = $1';
    await test.pool.query(expired, [ofUser]);
    expect(await list(user.bearer)).toMatchObject({ total: 0, entry: [] });
    expect(await idsOf(client.headers)).toEqual([ofClient]);
  });

  it('lists an export whose request cannot be opened without its parameters', async () => {
    const [unreadable, id] = [await begin(client.headers, '?_type=Patient'), await begin(client.headers)];
    const broken = 'UPDATE analytics_export.export_job SET sealed_request = $2 WHERE job_id = $1';
    await test.pool.query(broken, [unreadable, Buffer.from('none')]);
    const { entry } = await list(client.headers);
    expect(entry).toMatchObject([{ export_id: id }, { export_id: unreadable, in_r4: false, filters: [] }]);
    expect(entry[1]).not.toHaveProperty('types');
  });

  it('is not for a token whose scope covers some types only', async () => {
    const bearer = (scope: string): Record<string, string> => ({
      Authorization: `Bearer ${test.auth.addToken(client.client_id, undefined, scope)}`,
    });
    expect((await test.get(listAddress, bearer('system/Patient.rs'))).status).toBe(403);
    expect((await list(bearer('system/*.rs'))).total).toBe(0);
  });

  it('needs credentials, and the header of all users with those of a client', async () => {
    const { 'x-service-user-id': _all, ...credentials } = client.headers as Record<string, string>;
    expect((await test.get(listAddress, {})).status).toBe(401);
    expect((await test.get(listAddress, { ...client.headers, client_secret: 'wrong' })).status).toBe(401);
    expect((await test.get(listAddress, credentials)).status).toBe(400);
  });
});
