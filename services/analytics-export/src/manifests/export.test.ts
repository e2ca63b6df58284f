import { randomUUID } from 'node:crypto';
import { typeCodeOf } from '@tributary/record-storage';
import request from 'supertest';
import {
  ExportUnderTest,
  type TestClient,
  type TestUser,
  analyticsUrl,
  content,
  currentLines,
  exportAddress,
  fill,
} from '../../test/export-under-test';

let test: ExportUnderTest;
let client: TestClient;
let one: TestUser;
let two: TestUser;
beforeAll(async () => {
  test = await ExportUnderTest.start();
  client = test.newClient();
  [one, two] = [test.newUser(client), test.newUser(client)];
  await fill(one.record, 'r4', 'Patient', 1);
  await fill(one.record, 'dstu2', 'MedicationOrder', 3);
  await fill(one.record, 'stu3', 'Observation', 60);
  await fill(two.record, 'r4', 'Patient', 1);
  await fill(two.record, 'r4', 'Observation', 5);
  await fill(test.newUser().record, 'r4', 'Patient', 1);
});
afterAll(() => test.stop());

const summary = (files: { type: string; count: number; extension: { fhirVersion: string } }[]): string[] =>
  files.map(({ type, count, extension }) => `${type} ${extension.fhirVersion} ${count}`);

describe('the manifest', () => {
  it('is as the specification has it, one type and one release per file', async () => {
    const query = '?_type=MedicationOrder&_outputFormat=ndjson';
    const before = Date.now();
    const manifest = await test.manifest(one.bearer, query);
    expect(manifest).toEqual({
      transactionTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      request: `${analyticsUrl}${exportAddress}${query}`,
      requiresAccessToken: true,
      output: [
        {
          type: 'MedicationOrder',
          url: expect.stringMatching(
            /^https:\/\/analytics\.example\.org\/bulk-data\/r4\/\$export\/MedicationOrder\/[A-Za-z0-9_-]+\.ndjson$/,
          ),
          count: 3,
          extension: { fhirVersion: 'dstu2' },
        },
      ],
      deleted: [],
      error: [],
    });
    const at = Date.parse(manifest.transactionTime);
    expect([at >= before, at <= Date.now()]).toEqual([true, true]);
  });

  it("holds the user's resources of every release for a bearer token, those of all users of the client for the three headers", async () => {
    expect(summary((await test.manifest(one.bearer)).output)).toEqual([
      'MedicationOrder dstu2 3',
      'Observation stu3 60',
      'Patient r4 1',
    ]);
    const whole = await test.manifest(client.headers);
    expect(summary(whole.output).toSorted()).toEqual([
      'MedicationOrder dstu2 3',
      'Observation r4 5',
      'Observation stu3 60',
      'Patient r4 2',
    ]);
    const patients = [typeCodeOf('r4', 'Patient')];
    const expected = [...(await currentLines(one.record, patients)), ...(await currentLines(two.record, patients))];
    expect(
      (await test.lines((await test.manifest(client.headers, '?_type=Patient')).output, client.headers)).toSorted(),
    ).toEqual(expected.toSorted());
    expect((await test.manifest(test.newClient().headers)).output).toEqual([]);
  });

  it('limits by _type, as a comma list or as repeats', async () => {
    for (const query of [
      '?_type=Patient,Observation',
      '?_type=Patient&_type=Observation',
      '?_type=Patient,Observation&_type=Patient',
      '?_type=Patient%2C%20Observation',
    ]) {
      expect(summary((await test.manifest(one.bearer, query)).output)).toEqual(['Observation stu3 60', 'Patient r4 1']);
    }
    expect((await test.manifest(one.bearer, '?_type=Immunization')).output).toEqual([]);
    for (const query of [
      '?_type=Spaceship',
      '?_type=Patient,Spaceship',
      '?_type=',
      '?_type=patient',
      '?_type=Patient,',
      '?_type=constructor',
    ]) {
      const refused = await test.get(`${exportAddress}${query}`, one.bearer);
      expect([refused.status, refused.body.resourceType, refused.type]).toEqual([
        400,
        'OperationOutcome',
        'application/fhir+json',
      ]);
    }
  });

  it('limits by _since, strictly later, and names what was deleted', async () => {
    const user = test.newUser(client);
    const ids = await fill(user.record, 'r4', 'Condition', 4);
    const first = await test.manifest(user.bearer);
    const since = `?_since=${encodeURIComponent(first.transactionTime)}`;
    expect(await test.manifest(user.bearer, since)).toMatchObject({ output: [], deleted: [] });
    const typeCode = typeCodeOf('r4', 'Condition');
    await user.record.delete(typeCode, ids[0]!);
    const written = await user.record.update(typeCode, ids[1]!, content('"v":2'));
    await fill(user.record, 'dstu2', 'Condition', 1);
    const next = await test.manifest(user.bearer, since);
    expect(summary(next.output)).toEqual(['Condition dstu2 1', 'Condition r4 1']);
    expect(summary(next.deleted)).toEqual(['Bundle r4 1']);
    const [line = ''] = await test.lines(next.deleted, user.bearer);
    expect(JSON.parse(line)).toEqual({
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [{ request: { method: 'DELETE', url: `Condition/${ids[0]}` } }],
    });
    const from = (ms: number): string => `?_type=Condition&_since=${new Date(ms).toISOString()}`;
    expect(
      (await test.manifest(user.bearer, from(written.lastUpdated))).output.filter(
        ({ extension }) => extension.fhirVersion === 'r4',
      ),
    ).toEqual([]);
    expect(
      (await test.manifest(user.bearer, from(written.lastUpdated - 1))).output.filter(
        ({ extension }) => extension.fhirVersion === 'r4',
      ),
    ).toHaveLength(1);
    expect(summary((await test.manifest(user.bearer, '?_since=2020')).output)).toEqual([
      'Condition dstu2 1',
      'Condition r4 3',
    ]);
    expect((await test.manifest(user.bearer, '?_since=2020-01-01T00:00:00+02:00')).output).toHaveLength(2);
    for (const bad of ['yesterday', '', '2020-13', '2020-02-30', '2020-01-01T10:00', '2020-01-01T25:00:00Z', '1e3'])
      expect((await test.get(`${exportAddress}?_since=${bad}`, user.bearer)).status).toBe(400);
    expect((await test.get(`${exportAddress}?_since=2020&_since=2021`, user.bearer)).status).toBe(400);
  });

  it('ignores parameters that it does not know, unless the handling is strict', async () => {
    const prefer = (value: string): Record<string, string> => ({ ...one.bearer, Prefer: value });
    expect((await test.get(`${exportAddress}?colour=red`, one.bearer)).status).toBe(200);
    const strict = await test.get(
      `${exportAddress}?colour=red&_type=Patient&size=2&a%0Ab=1`,
      prefer('handling=strict'),
    );
    expect([strict.status, strict.body.issue[0].diagnostics]).toEqual([
      400,
      'colour, size, a parameter that is not a name: not supported; Prefer: handling=strict ignores nothing',
    ]);
    expect((await test.get(`${exportAddress}?_type=Patient`, prefer('return=minimal, handling=strict'))).status).toBe(
      200,
    );
    expect(
      (await test.get(`${exportAddress}?includeAssociatedData=LatestProvenanceResources`, one.bearer)).status,
    ).toBe(400);
    expect(
      (await test.get(`${exportAddress}?includeAssociatedData=LatestProvenanceResources`, prefer('handling=lenient')))
        .status,
    ).toBe(200);
    const organized = await test.get(`${exportAddress}?organizeOutputBy=Patient`, one.bearer);
    expect([organized.status, organized.body.issue[0].diagnostics]).toEqual([
      400,
      'organizeOutputBy: not supported; Prefer: handling=lenient leaves it out',
    ]);
    expect((await test.get(`${exportAddress}?organizeOutputBy=Patient`, prefer('handling=lenient'))).status).toBe(200);
    expect((await test.get(`${exportAddress}?_outputFormat=text/csv`, one.bearer)).status).toBe(400);
    expect((await test.get(`${exportAddress}?_outputFormat=application/fhir+ndjson`, one.bearer)).status).toBe(200);
  });

  it('requires a bearer token or the three headers, and not both', async () => {
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await test.get(exportAddress, headers)).status;
    const { client_id, client_secret } = client;
    const nobody = await test.get(exportAddress, {});
    expect([nobody.status, nobody.headers['www-authenticate'], nobody.body.resourceType]).toEqual([
      401,
      expect.stringMatching(/^Bearer /),
      'OperationOutcome',
    ]);
    expect(nobody.body.issue[0].diagnostics).toBe(
      'send Authorization: Bearer <ACCESS_TOKEN>, or the headers client_id, client_secret and x-service-user-id: client',
    );
    for (const more of [{}, { 'x-service-user-id': 'client' }] as Record<string, string>[]) {
      const basic = await test.get(exportAddress, { Authorization: 'Basic YTpi', ...more });
      expect([basic.status, basic.body.issue[0].diagnostics]).toEqual([
        401,
        'HTTP Basic is not supported: send the headers client_id, client_secret and x-service-user-id: client',
      ]);
    }
    expect(await status({ Authorization: `Bearer ${randomUUID()}` })).toBe(401);
    expect(await status({ Authorization: 'Basic YTpi' })).toBe(401);
    const wrong = await test.get(exportAddress, { client_id, client_secret: 'wrong', 'x-service-user-id': 'client' });
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Bearer /)]);
    expect(await status({ client_id, 'x-service-user-id': 'client' })).toBe(401);
    expect(await status({ 'x-service-user-id': 'client' })).toBe(401);
    expect(await status({ client_id, client_secret })).toBe(400);
    expect(await status({ client_id, client_secret, 'x-service-user-id': '7' })).toBe(400);
    expect(await status({ client_id, client_secret, 'x-service-user-id': 'Client' })).toBe(400);
    expect(await status({ ...client.headers, ...one.bearer })).toBe(400);
    expect(await status({ ...one.bearer, 'x-service-user-id': 'client' })).toBe(400);
  });

  it('responds to other methods and addresses as the contract says, and to an encoded dollar sign as to a plain one', async () => {
    const encoded = await test.get('/bulk-data/r4/%24export?_type=Patient', one.bearer);
    expect(encoded.body).toMatchObject({
      request: `${analyticsUrl}/bulk-data/r4/%24export?_type=Patient`,
      output: [{ count: 1 }],
    });
    expect((await request(test.app()).head(exportAddress).set(one.bearer)).status).toBe(200);
    const put = await request(test.app()).put(exportAddress).set(one.bearer);
    expect([put.status, put.headers['allow']]).toEqual([405, expect.stringContaining('GET')]);
    expect((await test.get('/bulk-data/dstu2/$export', one.bearer)).status).toBe(404);
    expect((await test.get('/bulk-data/r4/export', one.bearer)).status).toBe(404);
  });

  it('is documented', async () => {
    const document = await test.get('/openapi.json', {});
    expect(Object.keys(document.body.paths)).toEqual(
      expect.arrayContaining([exportAddress, `${exportAddress}/{resource_type}/{file_token}.ndjson`]),
    );
  });
});
