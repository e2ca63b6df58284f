import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '@tributary/test-environment';
import { typeCodeOf } from '@tributary/record-storage';
import { Pool } from 'pg';
import { ExportJobs } from '../jobs/export-jobs';
import { ExportUnderTest, exportAddress, fill } from '../../test/export-under-test';

const respondAsync = { Prefer: 'respond-async' };
let test: ExportUnderTest;
beforeAll(async () => {
  test = await ExportUnderTest.start({
    settings: { synchronous: { maxBlocks: 4, maxBytes: 2000 }, sweepSeconds: 0.2 },
  });
});
afterAll(() => test.stop());

it('sends a caller to the asynchronous flow when the scope is too large for a synchronous response', async () => {
  const client = test.newClient();
  for (let n = 0; n < 5; n++) await fill(test.newUser(client).record, 'r4', 'Observation', 3);
  const refused = await test.get(exportAddress, client.headers);
  expect([refused.status, refused.body.resourceType, refused.body.issue[0].diagnostics]).toEqual([
    413,
    'OperationOutcome',
    expect.stringContaining('Prefer: respond-async'),
  ]);
  const begun = await test.get(exportAddress, { ...client.headers, ...respondAsync });
  const status = begun.headers['content-location'] as string;
  const answer = await test.finished(status, client.headers);
  expect(await test.lines(answer.body.output, client.headers)).toHaveLength(15);
});

it('ends the plan of a synchronous export whose caller goes away', async () => {
  const user = test.newUser();
  await fill(user.record, 'r4', 'Observation', 3);
  const blocker = await test.pool.connect();
  await blocker.query('BEGIN; LOCK TABLE fhir_store.block IN ACCESS EXCLUSIVE MODE');
  const count = async (statement: string): Promise<number> => (await test.pool.query(statement)).rowCount ?? 0;
  const server = createServer(test.app()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const call = request({ port: (server.address() as AddressInfo).port, path: exportAddress, headers: user.bearer }).on(
    'error',
    () => undefined,
  );
  call.end();
  await waitUntil(() =>
    count(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`),
  );
  call.destroy();
  // The service has noticed it once it has answered on another connection.
  for (let n = 0; n < 3; n++) await test.get('/bulk-data/r4/metadata', {});
  await blocker.query('ROLLBACK');
  blocker.release();
  const ended = () =>
    test.events.filter(({ subject, outcome }) => subject === user.record.userId && outcome === 'aborted').length;
  await waitUntil(ended);
  expect(ended()).toBe(1);
  server.close();
});

it('bounds what a synchronous export reads to filter', async () => {
  const user = test.newUser();
  await fill(user.record, 'r4', 'Observation', 60, () => `"status":"final","x":"${'x'.repeat(50)}"`);
  expect((await test.get(exportAddress, user.bearer)).status).toBe(200);
  expect(
    (await test.get(`${exportAddress}?_typeFilter=${encodeURIComponent('Observation?status=final')}`, user.bearer))
      .status,
  ).toBe(413);
});

it('accepts no more asynchronous exports of a caller who has many unfinished', async () => {
  const client = test.newClient();
  const unfinished = `INSERT INTO analytics_export.export_job (job_id, client_id, state, snapshot, sealed_request, touched_at) VALUES ($1, $2, 'accepted', $3, '', now() + interval '1 hour')`;
  for (let n = 0; n < 10; n++) await test.pool.query(unfinished, [randomUUID(), client.client_id, Date.now()]);
  const refused = await test.get(exportAddress, { ...client.headers, ...respondAsync });
  expect([refused.status, refused.headers['retry-after'], refused.body.resourceType]).toEqual([
    429,
    '10',
    'OperationOutcome',
  ]);
  expect((await test.get(exportAddress, { ...test.newClient().headers, ...respondAsync })).status).toBe(202);
});

it('continues a plan from the state of an earlier attempt', async () => {
  const user = test.newUser();
  await fill(user.record, 'r4', 'Observation', 3);
  const { environment } = test;
  const pool = new Pool({
    connectionString: environment['DATABASE_URL'],
    options: '-c search_path=analytics_export',
    max: 1,
  });
  const jobs = new ExportJobs(pool, environment['FILE_TOKEN_KEY'] as string);
  // An attempt that is over all users: a plan from the beginning would find the resources.
  const state = { drafts: [], costs: {}, open: {}, nextUser: user.record.userId + 1, blocks: 0, users: 1 };
  await pool.query('BEGIN');
  const id = await jobs.create({ clientId: user.record.clientId, serviceUserId: user.record.userId }, Date.now(), {
    address: 'of the test',
    request: {},
  });
  await jobs.saveCheckpoint(id, state);
  await pool.query('COMMIT');
  await pool.end();
  const status = `${exportAddress.replace('$export', '$export-status')}/${id}`;
  const answer = await test.finished(status, user.bearer);
  expect([answer.status, answer.body.output]).toEqual([200, []]);
});

it('finds a patient without reading those of other users, and refuses an unknown one', async () => {
  const client = test.newClient();
  const [patient = ''] = await fill(test.newUser(client).record, 'r4', 'Patient', 1);
  const other = test.newUser();
  const [stranger = ''] = await fill(other.record, 'r4', 'Patient', 1);
  // A content that no key opens: whoever read it would fail.
  await test.pool.query(`UPDATE fhir_store.block SET content = '\\x00' WHERE user_id = $1 AND type_code = $2`, [
    other.record.userId,
    typeCodeOf('r4', 'Patient'),
  ]);
  const post = (id: string): PromiseLike<{ status: number }> =>
    test.post(exportAddress, client.headers, {
      resourceType: 'Parameters',
      parameter: [{ name: 'patient', valueReference: { reference: `Patient/${id}` } }],
    });
  expect([(await post(patient)).status, (await post(stranger)).status, (await post('not-a-uuid')).status]).toEqual([
    200, 400, 400,
  ]);
});
