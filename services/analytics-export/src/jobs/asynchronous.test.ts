import { randomUUID } from 'node:crypto';
import { waitUntil } from '@tributary/test-environment';
import type { ExportManifest } from '@tributary/contracts';
import request, { type Response, type Test } from 'supertest';
import {
  ExportUnderTest,
  type TestClient,
  type TestUser,
  analyticsUrl,
  exportAddress,
  fill,
} from '../../test/export-under-test';

let test: ExportUnderTest;
let client: TestClient;
let user: TestUser;
let patient: string;
beforeAll(async () => {
  test = await ExportUnderTest.start({ settings: { sweepSeconds: 0.3, fileResources: 50 }, replicas: 2 });
  client = test.newClient();
  user = test.newUser(client);
  [patient = ''] = await fill(user.record, 'r4', 'Patient', 1);
  await fill(
    user.record,
    'r4',
    'Observation',
    150,
    (i) => `"status":"${i % 3 === 0 ? 'final' : 'amended'}","subject":{"reference":"Patient/${patient}"}`,
  );
  const other = test.newUser(client);
  const [otherPatient] = await fill(other.record, 'r4', 'Patient', 1);
  await fill(
    other.record,
    'r4',
    'Observation',
    30,
    () => `"status":"final","subject":{"reference":"Patient/${otherPatient}"}`,
  );
});
afterAll(() => test.stop());

const respondAsync = { Prefer: 'respond-async', Accept: 'application/fhir+json' };

function kickOff(headers: Record<string, string>, query = '', path = exportAddress): Test {
  return test.get(`${path}${query}`, { ...headers, ...respondAsync });
}

function post(headers: Record<string, string>, parameters: object[] | undefined, path = exportAddress): Test {
  const call = request(test.app())
    .post(path)
    .set({ ...respondAsync, ...headers });
  return parameters
    ? call.type('application/fhir+json').send(JSON.stringify({ resourceType: 'Parameters', parameter: parameters }))
    : call;
}

/** Asks until the export is finished, as a client of the guide does, on any replica. */
async function poll(begun: Response, headers: Record<string, string>): Promise<Response> {
  expect([begun.status, begun.text]).toEqual([202, expect.stringContaining('OperationOutcome')]);
  const address = begun.headers['content-location'] as string;
  expect(address).toMatch(/^https:\/\/analytics\.example\.org\/bulk-data\/r4\//);
  let asked = 0;
  return waitUntil(async () => {
    const answer = await test.get(address, headers, asked++ % 2);
    if (answer.status !== 202) return answer;
    expect(answer.headers['x-progress']).toMatch(/^.{1,100}$/);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(5);
    return undefined;
  });
}

async function exported(begun: Test, headers: Record<string, string>): Promise<ExportManifest> {
  const answer = await poll(await begun, headers);
  expect(answer.status).toBe(200);
  return answer.body as ExportManifest;
}

describe('the asynchronous flow', () => {
  it("is the reference client's: kick-off, polling, parallel downloads, deletion", async () => {
    const before = Date.now();
    const begun = await kickOff(client.headers, '?_type=Observation,Patient&_outputFormat=application%2Ffhir%2Bndjson');
    const accepted = Date.now();
    const finished = await poll(begun, client.headers);
    expect([finished.status, finished.type]).toEqual([200, 'application/json']);
    const manifest = finished.body as ExportManifest;
    expect(manifest).toMatchObject({
      request: `${analyticsUrl}${exportAddress}?_type=Observation,Patient&_outputFormat=application%2Ffhir%2Bndjson`,
      requiresAccessToken: true,
      deleted: [],
      error: [],
    });
    expect(Date.parse(manifest.transactionTime)).toBeLessThanOrEqual(accepted);
    expect(Date.parse(manifest.transactionTime)).toBeGreaterThanOrEqual(before);
    const expires = Date.parse(finished.headers['expires'] as string);
    expect(expires - before).toBeGreaterThan(23 * 3600 * 1000);
    // A file ends where a block does, so how many there are depends on how blocks are filled.
    expect(manifest.output.filter(({ type }) => type === 'Observation').length).toBeGreaterThanOrEqual(2);
    const files = await Promise.all(manifest.output.map((file) => test.lines([file], client.headers)));
    const ids = files.flat().map((line) => (JSON.parse(line) as { id: string }).id);
    expect([ids.length, new Set(ids).size]).toEqual([182, 182]);
    const status = begun.headers['content-location'] as string;
    const remove = (headers: Record<string, string>): Test =>
      request(test.app()).delete(status.replace(analyticsUrl, '')).set(headers);
    expect((await remove(test.newClient().headers)).status).toBe(404);
    expect((await remove(client.headers)).status).toBe(202);
    expect((await remove(client.headers)).status).toBe(404);
    const gone = await test.get(status, client.headers);
    expect([gone.status, gone.body.resourceType]).toEqual([404, 'OperationOutcome']);
    for (const { url } of manifest.output) expect((await test.get(url, client.headers)).status).toBe(404);
  });

  it('is for its caller only', async () => {
    const begun = await kickOff(user.bearer);
    const status = begun.headers['content-location'] as string;
    for (const headers of [client.headers, test.newUser(client).bearer, test.newClient().headers])
      expect((await test.get(status, headers)).status).toBe(404);
    expect((await test.get(status, {})).status).toBe(401);
    expect((await test.get(`${status.slice(0, status.lastIndexOf('/'))}/${randomUUID()}`, user.bearer)).status).toBe(
      404,
    );
    expect((await test.get(`${status}x`, user.bearer)).status).toBe(404);
    expect((await poll(begun, user.bearer)).body).toMatchObject({
      output: expect.arrayContaining([expect.objectContaining({ type: 'Patient', count: 1 })]),
    });
  });

  it('refuses a bad kick-off at once', async () => {
    for (const query of [
      '?_type=Spaceship',
      '?_since=yesterday',
      '?_outputFormat=text/csv',
      '?_typeFilter=Observation',
      '?_typeFilter=Observation%3Fcolour%3Dred',
      '?patient=Patient/1',
      '?includeAssociatedData=x',
      '?_elements=1',
    ]) {
      expect([query, (await kickOff(user.bearer, query)).status]).toEqual([query, 400]);
    }
    expect((await kickOff({ ...user.bearer, ...client.headers })).status).toBe(400);
    expect((await kickOff({})).status).toBe(401);
    expect(
      (
        await request(test.app())
          .head(exportAddress)
          .set({ ...user.bearer, ...respondAsync })
      ).status,
    ).toBe(405);
    expect((await post(user.bearer, [{ name: '_type', valueBoolean: true }])).status).toBe(400);
    const unknown = [
      { name: 'allowPartialManifests', valueBoolean: true },
      { name: 'x', part: [] },
      { name: 'y', valueReference: { display: 'z' } },
    ];
    expect((await post(user.bearer, unknown)).status).toBe(202);
    expect((await post({ ...user.bearer, Prefer: 'respond-async, handling=strict' }, unknown)).status).toBe(400);
    expect(
      (
        await request(test.app())
          .post(exportAddress)
          .set(user.bearer)
          .type('application/fhir+xml')
          .send('<Parameters/>')
      ).status,
    ).toBe(415);
    expect(
      (
        await request(test.app())
          .post(exportAddress)
          .set(user.bearer)
          .type('application/fhir+json')
          .send('{"resourceType":"Patient"}')
      ).status,
    ).toBe(400);
    expect(
      (await request(test.app()).post(exportAddress).set(user.bearer).type('application/fhir+json').send('{')).status,
    ).toBe(400);
    const noParameters = await request(test.app()).post(exportAddress).set(user.bearer).send({ patient: '1' });
    expect([noParameters.status, noParameters.text]).toEqual([
      400,
      expect.stringContaining('a JSON body must be a FHIR Parameters resource, such as {'),
    ]);
  });

  it('begins by POST and for all patients alike', async () => {
    const types = (manifest: ExportManifest): string[] => [...new Set(manifest.output.map(({ type }) => type))];
    expect(
      types(
        await exported(
          post(user.bearer, [
            { name: '_type', valueString: 'Patient' },
            { name: '_type', valueCode: 'Condition' },
            { name: '_since', valueInstant: '2020-01-01T00:00:00+01:00' },
          ]),
          user.bearer,
        ),
      ),
    ).toEqual(['Patient']);
    expect(types(await exported(post(user.bearer, undefined), user.bearer)).toSorted()).toEqual([
      'Observation',
      'Patient',
    ]);
    const patients = exportAddress.replace('$export', 'Patient/$export');
    expect(types(await exported(kickOff(user.bearer, '?_type=Patient', patients), user.bearer))).toEqual(['Patient']);
    const atOnce = await request(test.app())
      .post(patients)
      .set(user.bearer)
      .type('application/fhir+json')
      .send('{"resourceType":"Parameters"}');
    expect([atOnce.status, types(atOnce.body as ExportManifest).toSorted()]).toEqual([200, ['Observation', 'Patient']]);
  });

  it('filters by type, patient and elements, with exact counts', async () => {
    const final = await exported(
      kickOff(client.headers, '?_type=Observation&_typeFilter=Observation%3Fstatus%3Dfinal'),
      client.headers,
    );
    expect(final.output.reduce((sum, { count }) => sum + count, 0)).toBe(80);
    for (const line of await test.lines(final.output, client.headers)) expect(line).toContain('"status":"final"');
    const either = await exported(
      kickOff(
        client.headers,
        '?_type=Observation&_typeFilter=Observation%3Fstatus%3Dfinal,Observation%3Fstatus%3Damended%26patient%3DPatient/1',
      ),
      client.headers,
    );
    expect(either.output.reduce((sum, { count }) => sum + count, 0)).toBe(80);
    const parameters = [
      { name: 'patient', valueReference: { reference: `Patient/${patient}` } },
      { name: '_elements', valueString: 'Observation.subject' },
    ];
    const ofPatient = await exported(post(client.headers, parameters), client.headers);
    const lines = (await test.lines(ofPatient.output, client.headers)).map(
      (line) => JSON.parse(line) as Record<string, unknown>,
    );
    expect(lines).toHaveLength(151);
    const observations = lines.filter(({ resourceType }) => resourceType === 'Observation');
    expect(observations[0]).toEqual({
      resourceType: 'Observation',
      id: expect.any(String),
      meta: expect.objectContaining({ tag: [expect.objectContaining({ code: 'SUBSETTED' })] }),
      status: expect.any(String),
      subject: { reference: `Patient/${patient}` },
    });
    expect(lines.filter(({ resourceType }) => resourceType === 'Patient')[0]).toHaveProperty('n');
    const unknown = await poll(
      await post(client.headers, [{ name: 'patient', valueReference: { reference: `Patient/${randomUUID()}` } }]),
      client.headers,
    );
    expect([unknown.status, unknown.body.resourceType]).toEqual([400, 'OperationOutcome']);
    const atOnce = await test.manifest(user.bearer, '?_typeFilter=Observation%3Fstatus%3Dfinal');
    expect(await test.lines(atOnce.output, user.bearer)).toHaveLength(51);
  });

  it('reports resources whose release does not define the search, and deletes a selection with its job', async () => {
    const mixed = test.newUser();
    await fill(mixed.record, 'dstu2', 'Condition', 4);
    await fill(mixed.record, 'r4', 'Condition', 2, () => '"recordedDate":"2020-01-01"');
    const begun = await kickOff(mixed.bearer, '?_typeFilter=Condition%3Frecorded-date%3Dge2019');
    const manifest = (await poll(begun, mixed.bearer)).body as ExportManifest;
    expect(manifest.output).toMatchObject([{ type: 'Condition', count: 2, extension: { fhirVersion: 'r4' } }]);
    expect(manifest.error).toMatchObject([{ type: 'OperationOutcome', count: 1, extension: { fhirVersion: 'dstu2' } }]);
    const [issue = ''] = await test.lines(manifest.error, mixed.bearer);
    expect(JSON.parse(issue)).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [{ diagnostics: expect.stringContaining('4 resources') }],
    });
    await request(test.app())
      .delete((begun.headers['content-location'] as string).replace(analyticsUrl, ''))
      .set(mixed.bearer);
    expect((await test.get(manifest.output[0]!.url, mixed.bearer)).status).toBe(404);
  });

  it('continues after a crash: a job without progress is planned again', async () => {
    const begun = await kickOff(user.bearer, '?_type=Patient');
    await poll(begun, user.bearer);
    const id = (begun.headers['content-location'] as string).split('/').at(-1);
    await test.pool.query(
      `UPDATE analytics_export.export_job SET state = 'planning', sealed_plan = NULL, touched_at = now() - interval '1 hour' WHERE job_id = $1`,
      [id],
    );
    expect((await poll(begun, user.bearer)).body).toMatchObject({ output: [{ type: 'Patient', count: 1 }] });
  });

  it('stores the request encrypted, and deletes it with its files', async () => {
    const begun = await kickOff(user.bearer, '?_typeFilter=Patient%3Fidentifier%3Dvery-secret');
    await poll(begun, user.bearer);
    const id = (begun.headers['content-location'] as string).split('/').at(-1);
    const { rows } = await test.pool.query(
      `SELECT export_job::text AS row, encode(sealed_request, 'escape') AS request FROM analytics_export.export_job WHERE job_id = $1`,
      [id],
    );
    expect(JSON.stringify(rows)).not.toContain('very-secret');
    await test.pool.query(
      `UPDATE analytics_export.export_job SET snapshot = snapshot - 24 * 3600 * 1000 WHERE job_id = $1`,
      [id],
    );
    expect((await test.get(begun.headers['content-location'] as string, user.bearer)).status).toBe(404);
    const job = `SELECT FROM analytics_export.export_job WHERE job_id = $1`;
    await waitUntil(async () => (await test.pool.query(job, [id])).rowCount === 0);
  });
});
