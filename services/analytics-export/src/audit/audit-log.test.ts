import { setTimeout as pause } from 'node:timers/promises';
import { ExportUnderTest, exportAddress, fill } from '../../test/export-under-test';

let test: ExportUnderTest;
beforeAll(async () => {
  test = await ExportUnderTest.start();
});
afterAll(() => test.stop());

it('records every export and download: who, whose data, which types, how many, and what became of it', async () => {
  const client = test.newClient();
  const user = test.newUser(client);
  await fill(user.record, 'stu3', 'Immunization', 7);
  const [file] = (await test.manifest(user.bearer)).output;
  const bytes = await test.bytes(file!, { ...user.bearer, 'Accept-Encoding': 'identity' });
  await test.manifest(client.headers, '?_type=Patient');
  expect((await test.get(file!.url, client.headers)).status).toBe(404);
  const limited = { Authorization: `Bearer ${test.auth.addSystemToken(client.client_id, 'system/Patient.rs')}` };
  expect((await test.get(`${exportAddress}?_type=Immunization`, limited)).status).toBe(403);
  const auditLog = async (): Promise<Record<string, unknown>[]> =>
    (
      await test.pool.query(
        `SELECT action, client_id, service_user_id::int, resources, bytes::int, outcome, ended_at IS NOT NULL AS ended, request_id <> '' AS known FROM analytics_export.audit_event ORDER BY audit_event_id`,
      )
    ).rows as Record<string, unknown>[];
  while ((await auditLog()).some(({ outcome }) => outcome === 'started')) await pause(10);
  const own = {
    client_id: client.client_id,
    service_user_id: user.record.userId,
    resources: { 'Immunization stu3': 7 },
    outcome: 'completed',
    ended: true,
    known: true,
  };
  const clients = {
    client_id: client.client_id,
    service_user_id: null,
    bytes: null,
    resources: {},
    ended: true,
    known: true,
  };
  expect(await auditLog()).toEqual([
    { ...own, action: 'export', bytes: null },
    { ...own, action: 'download', bytes: bytes.length },
    { ...clients, action: 'export', outcome: 'completed' },
    { ...clients, action: 'download', outcome: 'refused' },
    { ...clients, action: 'export', outcome: 'refused' },
  ]);
});
