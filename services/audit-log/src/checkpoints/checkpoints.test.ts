import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Checkpoint,
  CheckpointKey,
  checkpointHash,
  decodeCheckpointContent,
  isSignedBy,
  noPrevious,
} from '@tributary/audit-log';
import { createLog } from '@tributary/service-kit';
import { Pool } from 'pg';
import { AuditLogUnderTest, newSigningKey } from '../../test/audit-log-under-test';
import { CheckpointLog } from './checkpoint-log';
import { startCheckpoints } from './checkpoint-task';

const event = { kind: 'fhir.read', action: 'R', outcome: 'success', agent: { clientId: 'app' } } as const;

let under: AuditLogUnderTest;
let pool: Pool;
const firstKey = newSigningKey();

beforeAll(async () => {
  under = await AuditLogUnderTest.start();
  // It would make checkpoints as well.
  await under.stopService();
  pool = new Pool({ connectionString: under.reader.url });
});
afterAll(async () => {
  await pool.end();
  await under.stop();
});
afterEach(() => under.superuser.query('DELETE FROM audit.checkpoint; DELETE FROM audit.block'));

function replica(keys: readonly string[] = [firstKey]): CheckpointLog {
  return new CheckpointLog(pool, { accepted: keys, current: keys.at(-1)! });
}

const contentOf = (checkpoint: Checkpoint | undefined) => decodeCheckpointContent(checkpoint!.heads);

it('signs the last block of each stream that has moved, and continues the chain', async () => {
  const [one, other] = [await under.stream('auth'), await under.stream('fhir-store')];
  await one.add(Date.now(), [event]);
  await one.add(Date.now(), [event]);
  await other.add(Date.now(), [event]);
  const checkpoints = replica();
  const first = await checkpoints.make(0);
  expect(first).toMatchObject({ number: 1, previous: noPrevious });
  const heads = new Map(contentOf(first).heads.map(({ streamId, sequence }) => [streamId, sequence]));
  expect(heads).toEqual(
    new Map([
      [one.streamId, 1],
      [other.streamId, 0],
    ]),
  );
  expect(await checkpoints.make(0)).toBeUndefined();
  await other.add(Date.now(), [event]);
  const second = await checkpoints.make(0);
  expect(second).toMatchObject({ number: 2, previous: first!.hash });
  expect(contentOf(second).heads).toEqual([expect.objectContaining({ streamId: other.streamId, sequence: 1 })]);
  const { rows } = await under.superuser.query<Checkpoint>(
    `SELECT number::int, (extract(epoch FROM at) * 1000)::float8 AS at, previous, heads, hash, signature, key_id AS "keyId"
     FROM audit.checkpoint ORDER BY number`,
  );
  for (const row of rows) {
    expect(checkpointHash({ ...row, at: Math.round(row.at) })).toEqual(row.hash);
    expect(isSignedBy(row, new CheckpointKey(firstKey).publicKey)).toBe(true);
  }
  expect(rows).toHaveLength(2);
});

it('makes one checkpoint at a time, whatever the number of replicas', async () => {
  const stream = await under.stream();
  await stream.add(Date.now(), [event]);
  const made = await Promise.all(Array.from({ length: 6 }, () => replica().make(3_600_000)));
  expect(made.filter((checkpoint) => checkpoint !== undefined)).toHaveLength(1);
  await stream.add(Date.now(), [event]);
  expect(await replica().make(3_600_000)).toBeUndefined();
  expect(await replica().make(0)).toMatchObject({ number: 2 });
});

it('names the earlier keys in the first checkpoint of a new one', async () => {
  const stream = await under.stream();
  await stream.add(Date.now(), [event]);
  await replica().make(0);
  const nextKey = newSigningKey();
  const rotated = replica([firstKey, nextKey]);
  const [first, second] = [new CheckpointKey(firstKey), new CheckpointKey(nextKey)];
  const change = await rotated.make(0);
  expect([change?.keyId, contentOf(change).earlierKeys]).toEqual([second.id, [first.publicKey]]);
  await stream.add(Date.now(), [event]);
  expect(contentOf(await rotated.make(0)).earlierKeys).toEqual([]);
});

it('signs the retirement of a partition', async () => {
  const checkpoints = replica();
  await (await under.stream()).add(Date.now(), [event]);
  await checkpoints.make(0);
  await under.superuser.query(
    `INSERT INTO audit.retirement (partition, from_at, to_at, blocks, heads) VALUES ('block_2001_01', '2001-01-01Z', '2001-02-01Z', 5, '')`,
  );
  expect(contentOf(await checkpoints.make(0)).retirements).toHaveLength(1);
  expect(await checkpoints.make(0)).toBeUndefined();
  await under.superuser.query('DELETE FROM audit.retirement');
});

it('appends each checkpoint to the anchor file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-'));
  const anchorFile = join(folder, 'anchors');
  await (await under.stream()).add(Date.now(), [event]);
  const task = startCheckpoints({
    checkpoints: replica(),
    intervalSeconds: 0.01,
    anchorFile,
    log: createLog('audit-log', 'silent'),
  });
  const { rows } = await untilFound(() => under.superuser.query<{ hash: Buffer }>('SELECT hash FROM audit.checkpoint'));
  await task.stop();
  const [line] = readFileSync(anchorFile, 'utf8').split('\n');
  expect(JSON.parse(line!)).toMatchObject({ number: 1, hash: rows[0]!.hash.toString('hex') });
  rmSync(folder, { recursive: true });
});

async function untilFound<T extends { rows: unknown[] }>(find: () => Promise<T>): Promise<T> {
  for (let attempts = 0; attempts < 3000; attempts++) {
    const found = await find();
    if (found.rows.length > 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('nothing was found');
}
