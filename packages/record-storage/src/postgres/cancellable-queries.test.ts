import { createDatabase, waitUntil } from '@tributary/test-environment';
import { Pool } from 'pg';
import { CancellableQueries } from './cancellable-queries';

it('cancels the running statement when its caller aborts, and starts no other', async () => {
  const database = await createDatabase();
  const pool = new Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined);
  const controller = new AbortController();
  const statements = new CancellableQueries(pool, controller.signal);
  const running = async (): Promise<number> =>
    (await pool.query(`SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'`))
      .rowCount ?? 0;
  const gone = new Error('the caller is gone');
  const sleeping = statements.query({ text: 'SELECT pg_sleep(600)', rowMode: 'array' });
  const outcome = expect(sleeping).rejects.toBe(gone);
  await waitUntil(running);
  controller.abort(gone);
  await outcome;
  await waitUntil(async () => (await running()) === 0);
  expect(() => statements.query({ text: 'SELECT 1', rowMode: 'array' })).toThrow(gone);
  expect((await Promise.all([pool.query('SELECT 1'), pool.query('SELECT 1')])).map(({ rowCount }) => rowCount)).toEqual(
    [1, 1],
  );
  await pool.end();
  await database.drop();
});
