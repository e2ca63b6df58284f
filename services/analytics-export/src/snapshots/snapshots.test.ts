import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import {
  type RunningPostgres,
  copyAsReplica,
  reachableTemporaryDirectory,
  startPostgres,
} from '@tributary/local-databases';
import {
  RecordStorage,
  exportedRecords,
  planExport,
  recordStorageMigrations,
  typeCodeOf,
} from '@tributary/record-storage';
import { createDatabase, waitUntil } from '@tributary/test-environment';
import { Pool } from 'pg';
import { content } from '../../test/export-under-test';
import { Snapshots } from './snapshots';

const lagMs = 400;
const kek = new LocalKeyEncryptionKey([randomBytes(32)]);
let folder: string;
let servers: RunningPostgres[] = [];
let primary: Pool;
let replica: Pool;

beforeAll(async () => {
  folder = await mkdtemp(join(reachableTemporaryDirectory(), 'tributary-replica-'));
  await chmod(folder, 0o755);
  const [own, copied] = [join(folder, 'primary'), join(folder, 'replica')];
  const settings = { wal_level: 'replica', max_wal_senders: 4 };
  const stopped = await startPostgres({ dataDirectory: own, settings });
  await stopped.stop();
  await copyAsReplica(own, copied, stopped.url);
  const first = await startPostgres({ dataDirectory: own, port: stopped.port, settings });
  servers = [first];
  const second = await startPostgres({
    dataDirectory: copied,
    settings: { ...settings, recovery_min_apply_delay: lagMs },
  });
  servers = [first, second];
  [primary, replica] = servers.map(({ url }) => new Pool({ connectionString: url }).on('error', () => undefined)) as [
    Pool,
    Pool,
  ];
  for (const Migration of recordStorageMigrations()) await new Migration().up(primary);
});

afterAll(async () => {
  await Promise.all([primary?.end(), replica?.end()]);
  for (const server of servers.toReversed()) await server.stop();
  await rm(folder, { recursive: true, force: true });
});

it('waits until a replica that lags behind has the snapshot', async () => {
  const snapshots = new Snapshots(primary, replica);
  const storage = new RecordStorage({ pool: primary, kek });
  const records = exportedRecords(replica, kek);
  for (let n = 1; n <= 3; n++) {
    await storage.record(1, 'client').create(typeCodeOf('r4', 'Patient'), randomUUID(), content(`"n":${n}`));
    const at = await snapshots.take();
    expect(await planExport(records, { scope: { userId: 1 }, at })).toMatchObject([{ count: n }]);
  }
});

it('responds with 503 when it takes too long', async () => {
  await replica.query('SELECT pg_wal_replay_pause()');
  try {
    const replay = 'SELECT pg_get_wal_replay_pause_state() AS state';
    await waitUntil(async () => (await replica.query<{ state: string }>(replay)).rows[0]?.state === 'paused');
    await primary.query('CREATE TABLE late ()');
    await expect(new Snapshots(primary, replica, 20).take()).rejects.toMatchObject({
      status: 503,
    });
  } finally {
    await replica.query('SELECT pg_wal_replay_resume()');
  }
});

it('does not wait without a replica, or for one that is the primary itself', async () => {
  expect(await new Snapshots(primary).take()).toBeLessThanOrEqual(Date.now() + 100);
  expect(await new Snapshots(primary, primary, 0).take()).toBeLessThanOrEqual(Date.now() + 100);
});

it('refuses a records database that is no streaming replica of the primary', async () => {
  const database = await createDatabase();
  const stranger = new Pool({ connectionString: database.url });
  await expect(new Snapshots(primary, stranger).take()).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('replica'),
  });
  await stranger.end();
  await database.drop();
});
