import { createDatabase } from '@tributary/test-environment';
import { Pool } from 'pg';
import { CancellableQueries } from './cancellable-queries';

it('begins no statement after its caller is gone', async () => {
  const database = await createDatabase();
  const pool = new Pool({ connectionString: database.url, max: 1 });
  const controller = new AbortController();
  const statements = new CancellableQueries(pool, controller.signal);
  expect((await statements.query({ text: 'SELECT 1', rowMode: 'array' })).rows).toEqual([[1]]);
  const gone = new Error('the caller is gone');
  controller.abort(gone);
  expect(() => statements.query({ text: 'SELECT 1', rowMode: 'array' })).toThrow(gone);
  await pool.end();
  await database.drop();
});
