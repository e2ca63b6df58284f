import { createDatabase, waitUntil } from '@tributary/test-environment';
import { Client, type ClientConfig, Pool } from 'pg';
import { PipelinedConnections } from './pipelined-connections';
import { run } from './statement';

let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: Pool;
let connections: PipelinedConnections;

beforeAll(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url, max: 4, application_name: 'pool' });
  pool.on('error', () => undefined);
});

beforeEach(() => {
  connections = new PipelinedConnections(pool, 'repeatable');
});

afterEach(() => connections.close());

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const echo = { name: 'echo', text: 'SELECT $1::integer, pg_backend_pid()' };

it('returns the rows of each of many concurrent statements over few connections', async () => {
  // On a busy machine the connections open slowly, and the pool executes some of the statements.
  const small = new Pool({ connectionString: database.url, max: 1 });
  small.on('error', () => undefined);
  const few = new PipelinedConnections(small, 'repeatable');
  try {
    const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => run(few, echo, [n])));
    expect(answers.map(([row]) => row?.[0])).toEqual(Array.from({ length: 500 }, (_, n) => n));
    expect(new Set(answers.map(([row]) => row?.[1])).size).toBeLessThanOrEqual(5);
  } finally {
    await few.close();
    await small.end();
  }
});

it('opens a connection again while the password of the role is replaced', async () => {
  const valid = new URL(database.url).password;
  const passwords = ['a password that is not valid', valid];
  let opened = 0;
  class ReplacedPasswordClient extends Client {
    constructor(options?: ClientConfig) {
      const password = passwords[opened++] ?? valid;
      super({ ...options, connectionString: Object.assign(new URL(database.url), { password }).href });
    }
  }
  const replaced = new Pool({ connectionString: database.url, max: 1, Client: ReplacedPasswordClient });
  const through = new PipelinedConnections(replaced, 'once', 1);
  await expect(run(through, echo, [1])).resolves.toHaveLength(1);
  expect(opened).toBe(2);
  await through.close();
  await replaced.end();
});

it('isolates the failure of a statement from other statements of the pipeline', async () => {
  const divide = { name: 'divide', text: 'SELECT 12 / $1::integer' };
  const answers = await Promise.allSettled(Array.from({ length: 60 }, (_, n) => run(connections, divide, [n % 3])));
  answers.forEach((answer, n) => {
    if (n % 3 === 0) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
    else expect(answer).toMatchObject({ status: 'fulfilled', value: [[12 / (n % 3)]] });
  });
});

/** Holds a lock, on which `waiting` statements wait, until `release` is called. */
async function holdLock(): Promise<{ client: Client; release: () => Promise<void> }> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('SELECT pg_advisory_lock(1)');
  return { client, release: () => client.end() };
}
const waiting = { name: 'waiting', text: 'SELECT $1::integer FROM pg_advisory_xact_lock_shared(1)' };

it('does not queue statements behind a slow one', async () => {
  const lock = await holdLock();
  const slow = Array.from({ length: 4 }, () => run(connections, waiting, [1]));
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 1000);
  try {
    await expect(run(connections, echo, [1])).resolves.toHaveLength(1);
  } finally {
    clock.mockRestore();
    await lock.release();
  }
  await Promise.all(slow);
});

it('repeats the statements of a lost connection on a new one', async () => {
  const named = new Pool({
    connectionString: database.url,
    max: 4,
    application_name: 'pipelined',
    onConnect: async (client) => void (await client.query(`SET application_name = 'pool'`)),
  });
  named.on('error', () => undefined);
  const lossy = new PipelinedConnections(named, 'repeatable');
  // Not those of the pool, which repeats the statements and does not repeat its own.
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'pipelined' AND wait_event_type = 'Lock' LIMIT 2`;
  try {
    for (let round = 0; round < 5; round++) {
      const lock = await holdLock();
      const running = Promise.all(Array.from({ length: 40 }, (_, n) => run(lossy, waiting, [n])));
      for (let lost = 0; lost < 2;) lost += (await lock.client.query(terminate)).rowCount ?? 0;
      await lock.release();
      expect(await running).toEqual(Array.from({ length: 40 }, (_, n) => [[n]]));
    }
    await expect(run(lossy, echo, [7])).resolves.toMatchObject([[7, expect.any(Number)]]);
  } finally {
    await lossy.close();
    await named.end();
  }
});

it('does not repeat a statement that must run once', async () => {
  await pool.query('CREATE TABLE written (n integer)');
  const once = new PipelinedConnections(pool, 'once');
  try {
    const running = run(once, { text: 'INSERT INTO written SELECT pg_backend_pid() FROM pg_sleep(600)' }, []);
    const isRefused = expect(running).rejects.toMatchObject({ code: '57P01' });
    const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND query LIKE 'INSERT INTO written%'`;
    await waitUntil(async () => (await pool.query(terminate)).rowCount);
    await isRefused;
    expect((await pool.query('SELECT FROM written')).rowCount).toBe(0);
    await run(once, { text: 'INSERT INTO written VALUES (1)' }, []);
    expect((await pool.query('SELECT FROM written')).rowCount).toBe(1);
  } finally {
    await once.close();
  }
});

it('completes running statements before it closes', async () => {
  const running = Array.from({ length: 20 }, (_, n) => run(connections, echo, [n]));
  await new Promise((resolve) => setImmediate(resolve));
  await connections.close();
  await expect(Promise.all(running)).resolves.toHaveLength(20);
});

it('runs a statement on the pool when the preparation that it depends on has failed', async () => {
  const once = new PipelinedConnections(pool, 'once');
  try {
    // The first use of the name cannot be prepared; the second one was sent before that was known.
    const [broken, sent] = await Promise.allSettled([
      once.query({ name: 'shared-name', text: 'SELECT $1::integer FROM no_such_table', values: [1], rowMode: 'array' }),
      once.query({ name: 'shared-name', text: 'SELECT $1::integer FROM no_such_table', values: [2], rowMode: 'array' }),
    ]);
    expect(broken).toMatchObject({ status: 'rejected', reason: { code: '42P01' } });
    expect(sent).toMatchObject({ status: 'rejected', reason: { code: '42P01' } });
  } finally {
    await once.close();
  }
});

it('passes statements to the pool when all connections are full', async () => {
  // No connection is slow.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const running = Array.from({ length: 1000 }, (_, n) => run(connections, echo, [n]));
  clock.mockRestore();
  const answers = await Promise.all(running);
  expect(answers.map(([row]) => row?.[0])).toEqual(Array.from({ length: 1000 }, (_, n) => n));
  const processes = new Map<unknown, number>();
  for (const [row] of answers) processes.set(row?.[1], (processes.get(row?.[1]) ?? 0) + 1);
  expect(processes.size).toBeGreaterThan(4);
  expect([...processes.values()].filter((statements) => statements === 64).length).toBeGreaterThanOrEqual(4);
});

it('uses the pool alone when it has no connections of its own', async () => {
  const none = new PipelinedConnections(pool, 'repeatable', 0);
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => run(none, echo, [n])));
  expect(new Set(answers.map(([row]) => row?.[1])).size).toBeLessThanOrEqual(4);
  await none.close();
});
