import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from '.';
import { findFreePort } from './port';
import { pretendLauncherDied } from '../test/abandoned-server';

const settings = { fsync: 'off' };
let workplace: string;

beforeAll(async () => {
  workplace = await mkdtemp(join(tmpdir(), 'tributary-local-postgres-'));
  await chmod(workplace, 0o711);
});

afterAll(() => rm(workplace, { recursive: true, force: true }));

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end();
  }
}

describe('startPostgres', () => {
  test('listens on 127.0.0.1 only and requires the password', async () => {
    const postgres = await startPostgres({
      dataDirectory: join(workplace, 'closed'),
      settings: { ...settings, max_connections: 17 },
    });
    try {
      await expect(
        query(
          postgres.url,
          `SELECT current_setting('listen_addresses'), current_setting('unix_socket_directories'), current_setting('max_connections')`,
        ),
      ).resolves.toEqual(['127.0.0.1', '', '17']);
      await expect(query(postgres.url, 'SELECT DISTINCT auth_method FROM pg_hba_file_rules')).resolves.toEqual([
        'scram-sha-256',
      ]);
      await expect(query(postgres.url.replace(postgres.superuserPassword, 'guess'), 'SELECT 1')).rejects.toThrow(
        'password authentication failed',
      );
      expect(new URL(postgres.url).port).toBe(String(postgres.port));
    } finally {
      await postgres.stop();
    }
    await expect(query(postgres.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
    await postgres.stop();
  });

  test('keeps data and password from one start to the next', async () => {
    const dataDirectory = join(workplace, 'kept');
    const first = await startPostgres({ dataDirectory, settings });
    await query(first.url, 'CREATE TABLE visit AS SELECT 42 AS id');
    await first.stop();
    const port = await findFreePort();
    const second = await startPostgres({ dataDirectory, port, settings });
    try {
      expect(second).toMatchObject({ port, superuserPassword: first.superuserPassword });
      await expect(query(second.url, 'SELECT id FROM visit')).resolves.toEqual([42]);
    } finally {
      await second.stop();
    }
    await expect(readdir(dataDirectory)).resolves.toEqual(['cluster', 'postgres.log']);
  });

  test('refuses a directory in use, but stops a server whose parent process has died', async () => {
    const dataDirectory = join(workplace, 'left-behind');
    const first = await startPostgres({ dataDirectory, settings });
    await expect(startPostgres({ dataDirectory, settings })).rejects.toThrow(`in use: process ${process.pid}`);
    await expect(query(first.url, 'SELECT 1')).resolves.toEqual([1]);

    await pretendLauncherDied(dataDirectory);
    const second = await startPostgres({ dataDirectory, port: first.port, settings });
    await expect(query(second.url, 'SELECT 1')).resolves.toEqual([1]);
    await second.stop();
    await first.stop();
  });

  test('reports a port that is in use', async () => {
    const occupant = createServer();
    const port = await new Promise<number>((resolve) => {
      occupant.listen(0, '127.0.0.1', () => resolve((occupant.address() as { port: number }).port));
    });
    const dataDirectory = join(workplace, 'taken');
    await expect(startPostgres({ dataDirectory, port, settings })).rejects.toThrow(
      `port ${port} of 127.0.0.1 is taken`,
    );
    await expect(readdir(dataDirectory)).resolves.toEqual([]);
    await new Promise((resolve) => occupant.close(resolve));
  });

  test('reports the log when the server does not start, and releases the directory', async () => {
    const dataDirectory = join(workplace, 'failing');
    const start = startPostgres({ dataDirectory, settings: { ...settings, shared_buffers: 'plenty' } });
    await expect(start).rejects.toThrow(/did not start: it ended with code 1[^]*shared_buffers/);
    await expect(readdir(dataDirectory)).resolves.not.toContain('running.json');
  });

  test('does not touch data of another major version', async () => {
    const dataDirectory = join(workplace, 'older');
    await (await startPostgres({ dataDirectory, settings })).stop();
    const versionFile = join(dataDirectory, 'cluster', 'PG_VERSION');
    const version = await readFile(versionFile, 'utf8');
    await writeFile(versionFile, '15\n');
    await expect(startPostgres({ dataDirectory, settings })).rejects.toThrow('was created by PostgreSQL 15');
    await writeFile(versionFile, version);
    await (await startPostgres({ dataDirectory, settings })).stop();
  });

  const asRoot = process.getuid?.() === 0 ? test : test.skip;
  asRoot('root: keeps the data elsewhere when the server user cannot enter the directory', async () => {
    const closed = join(workplace, 'for-root-alone');
    await mkdir(closed, { mode: 0o700 });
    const dataDirectory = join(closed, 'data');
    const notice = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const first = await startPostgres({ dataDirectory, settings });
    expect(notice).toHaveBeenCalledWith(expect.stringContaining(dataDirectory));
    await query(first.url, 'CREATE TABLE visit AS SELECT 7 AS id');
    await first.stop();
    const second = await startPostgres({ dataDirectory, settings });
    await expect(query(second.url, 'SELECT id FROM visit')).resolves.toEqual([7]);
    await second.stop();
    expect(notice).toHaveBeenCalledTimes(1);
    notice.mockRestore();
    await rm(dirname(await readlink(join(dataDirectory, 'cluster'))), { recursive: true });
  });
});
