import { randomUUID } from 'node:crypto';
import { waitUntil } from '@tributary/test-environment';
import type { ExportManifest } from '@tributary/contracts';
import { Pool } from 'pg';
import { ExportUnderTest, type TestUser, exportAddress, fill } from '../../test/export-under-test';
import { FakeUserManagement } from '../../test/fake-user-management';
import { ExportJobs } from './export-jobs';

let userManagement: FakeUserManagement;
let test: ExportUnderTest;
let user: TestUser;
beforeAll(async () => {
  userManagement = await FakeUserManagement.listen();
  test = await ExportUnderTest.start({ variables: { USER_MANAGEMENT_INTERNAL_URL: userManagement.url } });
  user = test.newUser();
  await fill(user.record, 'r4', 'Patient', 1);
});
afterAll(async () => {
  await test.stop();
  await userManagement.close();
});

/** Starts an export, and gives its id and the address of its status. */
const begin = async (headers: Record<string, string>): Promise<{ id: string; status: string }> => {
  const begun = await test.get(exportAddress, { ...headers, Prefer: 'respond-async' });
  expect(begun.status).toBe(202);
  const status = begun.headers['content-location'] as string;
  return { id: status.slice(status.lastIndexOf('/') + 1), status };
};
const dueAt = async (id: string): Promise<Date | null | undefined> =>
  (
    await test.pool.query<{ report_due_at: Date | null }>(
      `SELECT report_due_at FROM analytics_export.export_job WHERE job_id = $1 AND state IN ('finished', 'failed')`,
      [id],
    )
  ).rows[0]?.report_due_at;
const reported = (id: string): Promise<true> => waitUntil(async () => (await dueAt(id)) === null);
const makeDue = (id: string): Promise<unknown> =>
  test.pool.query(`UPDATE analytics_export.export_job SET report_due_at = now() WHERE job_id = $1`, [id]);

it('reports that the export of a user is complete, with the time of its manifest', async () => {
  const { id, status } = await begin(user.bearer);
  await reported(id);
  const manifest = (await test.get(status, user.bearer)).body as ExportManifest;
  expect(userManagement.reportsOf(id)).toEqual([
    {
      client_id: user.record.clientId,
      service_user_id: user.record.userId,
      job_id: id,
      transaction_time: manifest.transactionTime,
      outcome: 'completed',
    },
  ]);
});

it('names no user when the export covers all users of the client', async () => {
  const client = test.newClient();
  const { id } = await begin(client.headers);
  await reported(id);
  expect(userManagement.reportsOf(id)).toEqual([
    { client_id: client.client_id, job_id: id, transaction_time: expect.any(String), outcome: 'completed' },
  ]);
});

it.each([500, 503, 404])('repeats a report that gets %d', async (status) => {
  // A call is repeated within itself while the service is unavailable.
  userManagement.statuses.push(...Array.from({ length: status === 503 ? 3 : 1 }, () => status));
  const { id } = await begin(user.bearer);
  await waitUntil(() => userManagement.statuses.length === 0);
  expect(await dueAt(id)).toBeInstanceOf(Date);
  await makeDue(id);
  await reported(id);
  expect(new Set(userManagement.reportsOf(id).map(({ outcome }) => outcome))).toEqual(new Set(['completed']));
  expect(userManagement.reportsOf(id).length).toBeGreaterThan(1);
});

it('reports again what was taken by a process that ended before the report', async () => {
  const { id } = await begin(user.bearer);
  await reported(id);
  const before = userManagement.reportsOf(id).length;
  // The process has taken the job, or has reported it without recording that, and was killed.
  await makeDue(id);
  await reported(id);
  expect(userManagement.reportsOf(id)).toHaveLength(before + 1);
});

it('reports a failure, and nothing about a deleted job', async () => {
  const pool = new Pool({
    connectionString: test.environment['DATABASE_URL'],
    options: '-c search_path=analytics_export',
  });
  const jobs = new ExportJobs(pool, 'a secret of 16 characters');
  const caller = { clientId: randomUUID() as string };
  const request = { address: 'https://analytics.example.org/', request: {} };
  // A job whose snapshot is older than 24 hours would be removed.
  const at = Date.now();
  try {
    const [failed, deleted] = [await jobs.create(caller, at, request), await jobs.create(caller, at, request)];
    await jobs.fail(failed, 'export_failed', 'the export failed');
    await jobs.remove(deleted, caller);
    await reported(failed);
    expect(userManagement.reportsOf(failed)).toEqual([
      {
        client_id: caller.clientId,
        job_id: failed,
        transaction_time: new Date(at - 1).toISOString(),
        outcome: 'failed',
      },
    ]);
    expect(userManagement.reportsOf(deleted)).toEqual([]);
  } finally {
    await pool.end();
  }
});
