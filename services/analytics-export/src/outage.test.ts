import { ExportUnderTest, exportAddress, fill } from '../test/export-under-test';

it('responds with 503 while the database is unreachable, and continues afterwards', async () => {
  const test = await ExportUnderTest.start();
  const user = test.newUser();
  await fill(user.record, 'r4', 'Patient', 1);
  const [file] = (await test.manifest(user.bearer)).output;
  const role = new URL(test.environment['DATABASE_URL'] as string).username;
  await test.pool.query(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
  await test.pool.query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = $1`, [role]);
  for (const address of [exportAddress, file?.url ?? '']) {
    const answer = await test.get(address, user.bearer);
    expect([answer.status, answer.headers['retry-after'], answer.body.resourceType]).toEqual([
      503,
      '2',
      'OperationOutcome',
    ]);
  }
  await test.pool.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
  expect((await test.manifest(user.bearer)).output).toHaveLength(1);
  await test.stop();
});
