import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '@tributary/test-environment';
import {
  type Checkpoint,
  CheckpointKey,
  CheckpointKeys,
  type Finding,
  type CheckpointContent,
  contentOf as readContent,
  noPrevious,
  sixYearsInDays,
} from '@tributary/audit-log';
import { createLog } from '@tributary/service-kit';
import { Pool } from 'pg';
import { AuditLogUnderTest, newSigningKey } from '../../test/audit-log-under-test';
import type { LogConfig } from '../config';
import { CheckpointLog } from './checkpoint-log';
import { verifyLog } from '../verification/verify-log';
import { startCheckpoints } from './checkpoint-task';

const event = { kind: 'fhir.read', action: 'R', outcome: 'success', agent: { clientId: 'app' } } as const;

let under: AuditLogUnderTest;
let pool: Pool;
const firstKey = newSigningKey();
const reported: Finding[] = [];

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

const contentOf = (checkpoint: Checkpoint | undefined): CheckpointContent => readContent(checkpoint!)!;

function configOf(keys: readonly string[] = [firstKey], isSandbox = true): LogConfig {
  const secret = { accepted: keys, current: keys.at(-1)! };
  return { ...under.config, AUDIT_SIGNING_KEY: secret, SANDBOX_MODE: isSandbox };
}

function replica(keys?: readonly string[], isSandbox?: boolean): CheckpointLog {
  return new CheckpointLog(pool, configOf(keys, isSandbox), (finding) => reported.push(finding));
}

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
  const keys = new CheckpointKeys([new CheckpointKey(firstKey).publicKey]);
  for (const row of rows) expect(keys.check({ ...row, at: Math.round(row.at) })).toEqual([]);
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

it('makes checkpoints while another role holds every lock that a role can hold', async () => {
  const stream = await under.stream();
  await stream.add(Date.now(), [event]);
  await under.writer.query(`BEGIN; SELECT pg_advisory_lock(hashtext('tributary audit checkpoint'))`);
  await expect(under.writer.query('SELECT FROM audit.verification FOR UPDATE')).rejects.toThrow('permission denied');
  await under.writer.query('ROLLBACK');
  expect(await replica().make(0)).toMatchObject({ number: 1 });
  await under.writer.query('SELECT pg_advisory_unlock_all()');
});

it.each([
  ['with a time in the future', { at: `now() + interval '10 years'` }],
  ['with an infinite time', { at: `'infinity'` }],
  ['of this moment', {}],
  ['that cannot be read', { previous: 'NULL', heads: 'NULL', hash: 'NULL', signature: 'NULL', key_id: 'NULL' }],
  ['with a number that JavaScript does not have', { number: '9223372036854775807' }],
])('is not put off by a checkpoint %s that somebody has inserted', async (_what, changed: Record<string, string>) => {
  const stream = await under.stream();
  await stream.add(Date.now(), [event]);
  expect(await replica().make(0)).toMatchObject({ number: 1 });
  await stream.add(Date.now(), [event]);
  const columns = ['previous', 'heads', 'hash', 'signature', 'key_id'];
  await under.superuser.query(
    `ALTER TABLE audit.checkpoint ${columns.map((column) => `ALTER ${column} DROP NOT NULL`).join(', ')};
     INSERT INTO audit.checkpoint (number, at, ${columns.join(', ')})
     SELECT ${changed['number'] ?? '2'}, ${changed['at'] ?? 'now()'}, ${columns.map((column) => changed[column] ?? column).join(', ')}
     FROM audit.checkpoint`,
  );
  const checkpoints = replica();
  const hour = 3_600_000;
  // The first one is of this moment as well.
  if (changed['number'])
    await under.superuser.query(`UPDATE audit.checkpoint SET at = at - interval '1 day' WHERE number = 1`);
  const isForeign = changed['number'] === undefined;
  expect(await checkpoints.make(hour)).toMatchObject({ number: isForeign ? 3 : 2 });
  await stream.add(Date.now(), [event]);
  expect(await checkpoints.make(hour)).toBeUndefined();
  if (isForeign)
    expect(reported).toContainEqual(expect.objectContaining({ problem: 'checkpoint not signed', checkpoint: 2 }));
  const problems: string[] = [];
  await verifyLog(pool, configOf(), { onFinding: ({ problem }) => problems.push(problem) });
  expect(problems).toContain('checkpoint changed');
  reported.length = 0;
  await under.superuser.query(
    `DELETE FROM audit.checkpoint; ALTER TABLE audit.checkpoint ${columns.map((column) => `ALTER ${column} SET NOT NULL`).join(', ')}`,
  );
});

it('goes on after the clock of PostgreSQL was set back, and reports nothing', async () => {
  const stream = await under.stream();
  await stream.add(Date.now(), [event]);
  const { number, previous, heads } = (await replica().make(0))!;
  const ahead = new CheckpointKey(firstKey).sign({ number, previous, heads, at: Date.now() + 600_000 });
  await under.superuser.query(
    'UPDATE audit.checkpoint SET at = to_timestamp($1::float8 / 1000), hash = $2, signature = $3',
    [ahead.at, ahead.hash, ahead.signature],
  );
  await stream.add(Date.now(), [event]);
  expect(await replica().make(3_600_000)).toMatchObject({ number: 2, previous: ahead.hash });
  expect(reported).toEqual([]);
});

it('signs the heads of very many streams in several checkpoints', async () => {
  await under.superuser.query(
    `ALTER TABLE audit.block DISABLE TRIGGER block_of_own_stream;
     INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash)
     SELECT gen_random_uuid(), 0, date_trunc('milliseconds', now()), 0, '{}', $1, '', $1 FROM generate_series(1, 50001);
     ALTER TABLE audit.block ENABLE TRIGGER block_of_own_stream`.replaceAll('$1', `decode(repeat('00', 32), 'hex')`),
  );
  const checkpoints = replica();
  const streams: string[] = [];
  for (const expected of [50_000, 1, undefined]) {
    const made = await checkpoints.make(0);
    const heads = made && contentOf(made).heads;
    expect(heads?.length).toBe(expected);
    streams.push(...(heads ?? []).map(({ streamId }) => streamId));
  }
  expect(new Set(streams).size).toBe(50_001);
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

it('signs the last block of a stream whose row a superuser has changed meanwhile', async () => {
  const stream = await under.stream();
  await stream.add(Date.now(), [event]);
  await under.superuser.query(`UPDATE audit.stream SET written_by = 'x' WHERE stream_id = $1`, [stream.streamId]);
  expect(contentOf(await replica().make(0)).heads).toMatchObject([{ streamId: stream.streamId, sequence: 0 }]);
});

it('reports what a superuser has added to the schema when it signs, once while it is there', async () => {
  const checkpoints = replica();
  const policy = { problem: 'schema changed', object: 'policy hide of block' };
  for (let round = 1; round <= 2; round++) {
    await under.superuser.query('CREATE POLICY hide ON audit.block USING (false)');
    for (let n = 0; n < 2; n++) await checkpoints.make(0);
    await under.superuser.query('DROP POLICY hide ON audit.block');
    await checkpoints.make(0);
    expect(reported).toEqual(Array.from({ length: round }, () => policy));
  }
  reported.length = 0;
});

describe('the retirement of a partition', () => {
  const day = 86_400_000;
  afterEach(async () => {
    await under.superuser.query('DELETE FROM audit.retirement');
    reported.length = 0;
  });

  /** A stream whose blocks were signed some days ago, with the keys of a replica. @returns the head of each block */
  async function signedStream(daysAgo: number, keys?: readonly string[]): Promise<string[]> {
    const stream = await under.stream();
    await stream.add(Date.now(), [event]);
    await stream.add(Date.now(), [event]);
    const signed = await replica(keys).make(0);
    const at = Date.now() - daysAgo * day;
    // As it would have been signed then.
    const key = new CheckpointKey(keys?.at(-1) ?? firstKey);
    const { hash, signature } = key.sign({ ...signed!, at });
    await under.superuser.query(
      'UPDATE audit.checkpoint SET at = to_timestamp($2::float8 / 1000), hash = $3, signature = $4 WHERE number = $1',
      [signed!.number, at, hash, signature],
    );
    const { rows } = await under.superuser.query<{ head: string }>(
      `SELECT encode(uuid_send(stream_id) || int8send(sequence) || hash, 'hex') AS head FROM audit.block
       WHERE stream_id = $1 ORDER BY sequence`,
      [stream.streamId],
    );
    return rows.map(({ head }) => head);
  }

  const retire = (monthsAgo: number, heads = ''): Promise<unknown> =>
    under.superuser.query(
      `INSERT INTO audit.retirement (partition, from_at, to_at, blocks, heads)
       VALUES ('block_x', now() - ($1::int + 1) * interval '1 month', now() - $1::int * interval '1 month', 5, decode($2, 'hex'))`,
      [monthsAgo, heads],
    );
  const retention = 2190;
  const notProven = { problem: 'retirement not proven', partition: 'block_x' };

  it.each([
    ['that had no block', [], false],
    ['whose last block a checkpoint has signed', [1], false],
    ['whose last block is before a signed one', [0], false],
    ['whose checkpoint is signed by an earlier key', [1], true],
  ])('is signed where it was one %s', async (_what, heads, isRotated) => {
    const signed = await signedStream(retention + 10);
    const nextKey = newSigningKey();
    if (isRotated) await replica([firstKey, nextKey]).make(0);
    await retire(73, heads.map((index) => signed[index]).join(''));
    const checkpoints = replica(isRotated ? [nextKey] : [firstKey]);
    expect(contentOf(await checkpoints.make(0)).retirements).toHaveLength(1);
    expect(await checkpoints.make(0)).toBeUndefined();
    expect(reported).toEqual([]);
  });

  const flipLast = (head: string): string => `${head.slice(0, -1)}${head.endsWith('0') ? '1' : '0'}`;
  const later = (head: string): string => head.replace(/^(.{47})1/, '$12');
  it.each([
    ['whose retention has not ended', retention + 10, 71, ([, last]: string[]) => last],
    ['whose blocks were signed within the retention', 3, 73, ([, last]: string[]) => last],
    ['with a later block than the signed one', retention + 10, 73, ([, last]: string[]) => later(last!)],
    ['with another block than the signed one', retention + 10, 73, ([, last]: string[]) => flipLast(last!)],
    ['with a stream that no checkpoint has signed', retention + 10, 73, () => 'ab'.repeat(56)],
    ['with heads that cannot be read', retention + 10, 73, () => 'abcd'],
  ])('is reported and not signed for a row %s', async (_what, signedDaysAgo, monthsAgo, forge) => {
    await retire(monthsAgo, forge(await signedStream(signedDaysAgo)));
    const checkpoints = replica();
    for (const attempt of ['first', 'second']) {
      await (await under.stream(attempt)).add(Date.now(), [event]);
      expect(contentOf(await checkpoints.make(0)).retirements).toEqual([]);
    }
    expect(reported).toEqual([expect.objectContaining(notProven)]);
  });

  it('is neither signed nor excused where a superuser has shortened the retention', async () => {
    const signed = await signedStream(retention + 10);
    await retire(2, signed[1]);
    await under.superuser.query('UPDATE audit.retention SET days = 1');
    try {
      const strict = await replica([firstKey], false).make(0);
      expect(reported).toEqual([expect.objectContaining(notProven)]);
      expect(strict ? contentOf(strict).retirements : []).toEqual([]);

      // A process that took the retention from the database signs it. Whoever verifies finds that it was too early.
      expect(contentOf(await replica().make(0)).retirements).toHaveLength(1);
      const findings = async (isSandbox: boolean): Promise<Finding[]> => {
        const found: Finding[] = [];
        await verifyLog(pool, configOf([firstKey], isSandbox), { onFinding: (finding) => void found.push(finding) });
        return found;
      };
      expect(await findings(true)).not.toContainEqual(expect.objectContaining(notProven));
      expect(await findings(false)).toContainEqual(expect.objectContaining(notProven));
    } finally {
      await under.superuser.query('UPDATE audit.retention SET days = $1', [sixYearsInDays]);
    }
  });

  it('is not proven by a checkpoint that was not signed', async () => {
    const [, last] = await signedStream(retention + 10);
    await under.superuser.query(`UPDATE audit.checkpoint SET signature = decode(repeat('00', 64), 'hex')`);
    await retire(73, last);
    await replica().make(0);
    expect(reported).toEqual([
      expect.objectContaining({ problem: 'checkpoint not signed' }),
      expect.objectContaining(notProven),
    ]);
  });
});

it('appends each checkpoint to the anchor file, which exists before the first one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-'));
  const anchorFile = join(folder, 'anchors');
  await (await under.stream()).add(Date.now(), [event]);
  const task = startCheckpoints(replica(), anchorFile, 0.01, createLog('audit-log', 'silent'));
  expect(readFileSync(anchorFile, 'utf8')).toBe('');
  const { hash } = await waitUntil(
    async () => (await under.superuser.query<{ hash: Buffer }>('SELECT hash FROM audit.checkpoint')).rows[0],
  );
  await task.stop();
  const [line] = readFileSync(anchorFile, 'utf8').split('\n');
  expect(JSON.parse(line!)).toMatchObject({ number: 1, hash: hash.toString('hex') });
  rmSync(folder, { recursive: true });
});
