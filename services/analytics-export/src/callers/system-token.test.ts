import { randomUUID } from 'node:crypto';
import type { ExportManifest } from '@tributary/contracts';
import { typeCodeOf } from '@tributary/record-storage';
import { ExportUnderTest, type TestClient, analyticsUrl, exportAddress, fill } from '../../test/export-under-test';

describe('a token of the client itself', () => {
  let test: ExportUnderTest;
  let client: TestClient;
  beforeAll(async () => {
    test = await ExportUnderTest.start();
    client = test.newClient();
    const [one, two] = [test.newUser(client), test.newUser(client)];
    await fill(one.record, 'r4', 'Patient', 1);
    await fill(one.record, 'stu3', 'Observation', 6);
    await fill(two.record, 'r4', 'Patient', 1);
    const [gone] = await fill(two.record, 'r4', 'Observation', 3);
    await two.record.write([{ typeCode: typeCodeOf('r4', 'Observation'), id: gone!, delete: true }]);
    await fill(test.newUser().record, 'r4', 'Patient', 1);
  });
  afterAll(() => test.stop());

  const bearer = (scope: string): { Authorization: string } => ({
    Authorization: `Bearer ${test.auth.addToken(client.client_id, undefined, scope)}`,
  });
  const counts = ({ output }: ExportManifest): string[] =>
    output.map(({ type, count }) => `${type} ${count}`).toSorted();
  const status = async (address: string, headers: Record<string, string>): Promise<number> =>
    (await test.get(address, headers)).status;

  it.each(['system/*.read', 'system/*.rs', 'system/Patient.rs system/*.read'])(
    'with the scope %s exports all users of the client, like the three headers',
    async (scope) => {
      const manifest = await test.manifest(bearer(scope));
      expect(counts(manifest)).toEqual(counts(await test.manifest(client.headers)));
      expect(counts(manifest)).toEqual(['Observation 2', 'Observation 6', 'Patient 2']);
      expect(await test.lines(manifest.output, bearer(scope))).toHaveLength(10);
    },
  );

  it('is limited to the types of its scope', async () => {
    const patients = bearer('system/Patient.read');
    expect(counts(await test.manifest(patients))).toEqual(['Patient 2']);
    expect(
      counts(await test.manifest(bearer('system/Patient.rs system/Observation.rs'), '?_type=Observation')),
    ).toEqual(['Observation 2', 'Observation 6']);
    const refused = await test.get(`${exportAddress}?_type=Patient,Observation`, patients);
    expect([refused.status, refused.body.resourceType, refused.headers['www-authenticate']]).toEqual([
      403,
      'OperationOutcome',
      expect.stringContaining('insufficient_scope'),
    ]);
  });

  it('downloads no file of another type', async () => {
    const whole = await test.manifest(bearer('system/*.read'), '?_since=2020-01-01');
    const patients = bearer('system/Patient.read');
    for (const { type, url } of whole.output)
      expect([type, await status(url, patients)]).toEqual([type, type === 'Patient' ? 200 : 404]);
    expect(whole.deleted).toHaveLength(1);
    expect(await status(whole.deleted[0]!.url, patients)).toBe(404);
    const [deletions] = (await test.manifest(bearer('system/Observation.rs'), '?_since=2020-01-01')).deleted;
    expect([
      await status(deletions!.url, bearer('system/Observation.read')),
      await status(deletions!.url, patients),
    ]).toEqual([200, 404]);
  });

  it('follows an asynchronous export with any token that covers its types', async () => {
    const accepted = await test.get(exportAddress, { ...bearer('system/Patient.read'), Prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    const address = accepted.headers['content-location'] as string;
    const answer = await test.finished(address, bearer('system/*.rs'));
    expect(counts(answer.body as ExportManifest)).toEqual(['Patient 2']);
    expect(await status(address, bearer('system/Observation.rs'))).toBe(404);
    expect(
      await status(address, {
        Authorization: `Bearer ${test.auth.addToken(test.newClient().client_id, undefined, 'system/*.rs')}`,
      }),
    ).toBe(404);
  });

  it('refuses other scopes and unknown tokens', async () => {
    for (const scope of ['user', 'system/*.write', 'system/*.rs openid', ''])
      expect([scope, await status(exportAddress, bearer(scope))]).toEqual([scope, 401]);
    expect(await status(exportAddress, { Authorization: `Bearer ${randomUUID()}` })).toBe(401);
    expect(await status(exportAddress, { ...bearer('system/*.rs'), ...client.headers })).toBe(400);
  });

  it('is announced', async () => {
    const { body } = await test.get(`${analyticsUrl}/.well-known/smart-configuration`, {});
    expect(body).toMatchObject({
      token_endpoint_auth_methods_supported: expect.arrayContaining(['private_key_jwt']),
      token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
      grant_types_supported: expect.arrayContaining(['client_credentials']),
      scopes_supported: expect.arrayContaining(['system/*.read', 'system/*.rs']),
      capabilities: expect.arrayContaining(['client-confidential-asymmetric']),
    });
  });
});
