import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { valueOfRun } from './run';

interface Announcement {
  readonly run: string;
  readonly postgresUrl: string;
  readonly redisUrl: string;
}

let parent: string;
const serving: ChildProcess[] = [];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'tributary-serve-'));
  await chmod(parent, 0o711);
});

afterEach(async () => {
  await Promise.all(serving.splice(0).map(end));
  await rm(parent, { recursive: true, force: true });
});

/** The directories of runs; the compiler leaves its own beside them. */
async function runs(): Promise<string[]> {
  return (await readdir(parent)).filter((name) => name.startsWith('tributary-'));
}

async function serve(environment: NodeJS.ProcessEnv): Promise<{ server: ChildProcess; announced: Announcement }> {
  const server = spawn(process.execPath, [join(__dirname, '..', 'launch', 'serve.js')], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  serving.push(server);
  if (!server.stdout) throw new Error('no standard output');
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  return { server, announced: JSON.parse(line) as Announcement };
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.stdin?.end();
  await exited;
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

test('the end of standard input ends the servers and removes their files', async () => {
  const { server, announced } = await serve({ TMPDIR: parent });
  await expect(query(announced.postgresUrl, 'SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  await expect(runs()).resolves.toHaveLength(1);
  await end(server);
  await expect(query(announced.postgresUrl, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  await expect(runs()).resolves.toEqual([]);
});

test('the files of a killed process are removed by the next process, and those of a running one are not', async () => {
  const killed = await serve({ TMPDIR: parent });
  const living = await serve({ TMPDIR: parent });
  killed.server.kill('SIGKILL');
  await once(killed.server, 'exit');
  await expect(query(killed.announced.postgresUrl, 'SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);

  const next = await serve({ TMPDIR: parent });
  await expect(query(killed.announced.postgresUrl, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  await expect(query(living.announced.postgresUrl, 'SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  await Promise.all([end(next.server), end(living.server)]);
  await expect(runs()).resolves.toEqual([]);
});

test('the PostgreSQL of the environment is used, and only the databases of the run are removed', async () => {
  const postgresUrl = valueOfRun('TEST_POSTGRES_URL');
  const { server, announced } = await serve({ TMPDIR: parent, TEST_POSTGRES_URL: postgresUrl });
  expect(announced.postgresUrl).toBe(postgresUrl);
  expect(announced.run).not.toBe(valueOfRun('TEST_RUN'));
  const ours = new URL(postgresUrl).pathname.slice(1);
  await query(postgresUrl, `CREATE DATABASE test_${announced.run}_gone TEMPLATE template0`);
  await end(server);
  await expect(
    query(postgresUrl, `SELECT datname FROM pg_database WHERE datname IN ('test_${announced.run}_gone', '${ours}')`),
  ).resolves.toEqual([{ datname: ours }]);
});
