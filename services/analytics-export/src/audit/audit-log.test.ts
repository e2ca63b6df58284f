import { waitUntil } from '@tributary/test-environment';
import { AuditUnavailable, auditEventSchema } from '@tributary/audit-log';
import { ExportUnderTest, exportAddress, fill } from '../../test/export-under-test';

let test: ExportUnderTest;
beforeAll(async () => {
  test = await ExportUnderTest.start();
});
afterAll(() => test.stop());
beforeEach(() => {
  test.recordEvent = undefined;
});

it('records every export and download: who, whose data, which types, how many, and what became of it', async () => {
  const client = test.newClient();
  const user = test.newUser(client);
  await fill(user.record, 'stu3', 'Immunization', 7);
  const [file] = (await test.manifest(user.bearer)).output;
  const bytes = await test.bytes(file!, { ...user.bearer, 'Accept-Encoding': 'identity' });
  await waitUntil(() => test.events.some(({ eventOf }) => eventOf));
  await test.manifest(client.headers, '?_type=Patient');
  expect((await test.get(file!.url, client.headers)).status).toBe(404);
  const limited = { Authorization: `Bearer ${test.auth.addToken(client.client_id, undefined, 'system/Patient.rs')}` };
  expect((await test.get(`${exportAddress}?_type=Immunization`, limited)).status).toBe(403);
  const own = {
    agent: { clientId: client.client_id, serviceUserId: user.record.userId },
    subject: user.record.userId,
    address: '127.0.0.1',
  };
  const clients = { agent: { clientId: client.client_id }, address: '127.0.0.1' };
  const seven = { count: 7, counts: { 'Immunization stu3': 7 } };
  expect(test.events).toEqual(
    [
      { ...own, kind: 'export.requested', action: 'E', outcome: 'success', entities: [seven] },
      { ...own, kind: 'download', action: 'R', outcome: 'begun', entities: [seven] },
      {
        ...own,
        kind: 'download',
        action: 'R',
        outcome: 'success',
        entities: [{ ...seven, bytes: bytes.length }],
        eventOf: 'event 2',
      },
      {
        ...clients,
        kind: 'export.requested',
        action: 'E',
        outcome: 'success',
        entities: [{ query: '_type', count: 0, counts: {} }],
      },
      { ...clients, kind: 'download', action: 'R', outcome: 'refused' },
      { ...clients, kind: 'export.requested', action: 'E', outcome: 'refused' },
    ].map((event) => expect.objectContaining(event)),
  );
  for (const event of test.events) auditEventSchema.parse({ at: 0, ...event });
});

it('names the developer who acts for a client', async () => {
  const client = test.newClient();
  test.auth.clients.set(client.client_id, { ...test.auth.clients.get(client.client_id)!, developer: 'jane-1' });
  const from = test.events.length;
  await test.manifest(client.headers);
  expect(test.events.slice(from)).toEqual([
    expect.objectContaining({
      kind: 'export.requested',
      agent: { clientId: client.client_id, developer: 'jane-1' },
    }),
  ]);
});

it('records an asynchronous export when it is requested, when it is planned, and when it is deleted', async () => {
  const user = test.newUser();
  await fill(user.record, 'r4', 'Observation', 3);
  const from = test.events.length;
  const accepted = await test.get(exportAddress, { ...user.bearer, Prefer: 'respond-async' });
  const status = accepted.headers['content-location'] as string;
  await waitUntil(async () => (await test.get(status, user.bearer)).status !== 202);
  const kinds = () => test.events.slice(from).map(({ kind }) => kind);
  await waitUntil(() => kinds().includes('export.planned'));
  expect((await test.delete(status, user.bearer)).status).toBe(202);
  const read = test.events.slice(from).filter(({ kind }) => kind === 'export.read');
  expect(kinds()).toEqual(['export.requested', 'export.planned', ...read.map(() => 'export.read'), 'export.cancelled']);
  const entities = [{ count: 3, counts: { 'Observation r4': 3 } }];
  expect(read).toEqual([expect.objectContaining({ outcome: 'success', subject: user.record.userId, entities })]);
  expect((await test.get(status, user.bearer)).status).toBe(404);
  expect((await test.delete(status, user.bearer)).status).toBe(404);
  expect(test.events.slice(-2)).toMatchObject([
    { kind: 'export.read', outcome: 'refused' },
    { kind: 'export.cancelled', outcome: 'refused' },
  ]);
});

it('records what a client asked for, without the values', async () => {
  const client = test.newClient();
  const from = test.events.length;
  const query = '?_type=Observation&_since=2020-01-01T00:00:00Z&_typeFilter=Observation%3Fcode%3D8480-6';
  expect((await test.get(`${exportAddress}${query}`, client.headers)).status).toBe(200);
  expect(test.events.slice(from)).toMatchObject([
    { kind: 'export.requested', entities: [{ query: '_type&_since&_typeFilter', count: 0 }] },
  ]);
  expect(JSON.stringify(test.events.slice(from))).not.toMatch(/8480|2020-01-01/);
});

it('sends no file whose download is not recorded', async () => {
  const user = test.newUser();
  await fill(user.record, 'r4', 'Observation', 1);
  const [file] = (await test.manifest(user.bearer)).output;
  test.recordEvent = () => Promise.reject(new AuditUnavailable('for the test'));
  expect((await test.get(file!.url, user.bearer)).status).toBe(503);
  expect((await test.get(exportAddress, user.bearer)).status).toBe(503);
});
