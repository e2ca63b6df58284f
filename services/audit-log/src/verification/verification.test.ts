import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkpoint, NewAuditEvent } from '@tributary/audit-log';
import { createLog } from '@tributary/service-kit';
import { Pool } from 'pg';
import { AuditLogUnderTest } from '../../test/audit-log-under-test';
import { openingKeys } from '../blocks/opening-keys';
import { CheckpointLog } from '../checkpoints/checkpoint-log';
import { auditCommand } from '../commands/audit-command';
import { startVerification } from './verification-task';

const event = { kind: 'fhir.read', action: 'R', outcome: 'success', agent: { clientId: 'app' }, subject: 7 } as const;

let under: AuditLogUnderTest;
let pool: Pool;
let streamId: string;
let checkpoint: Checkpoint;
let folder: string;

beforeAll(async () => {
  under = await AuditLogUnderTest.start();
  await under.stopService();
  pool = new Pool({ connectionString: under.reader.url });
  folder = mkdtempSync(join(tmpdir(), 'anchor-'));
  const stream = await under.stream();
  ({ streamId } = stream);
  const started = { kind: 'service.started', action: 'E', outcome: 'success' } as const;
  await stream.add(Date.now(), [{ ...started, agent: { service: 'fhir-store' } }]);
  for (let blocks = 0; blocks < 2; blocks++) await stream.add(Date.now(), [event, event]);
  const key = under.environment['AUDIT_SIGNING_KEY']!;
  checkpoint = (await new CheckpointLog(pool, { accepted: [key], current: key }, () => undefined).make(0))!;
});
afterAll(async () => {
  await pool.end();
  await under.stop();
  rmSync(folder, { recursive: true });
});

interface Result {
  lines: string[];
  failed: boolean;
}

async function verify(...words: string[]): Promise<Result> {
  const result: Result = { lines: [], failed: false };
  const opener = openingKeys({ accepted: [under.environment['AUDIT_OPENING_KEY']!] });
  const signingKeys = [under.environment['AUDIT_SIGNING_KEY']!];
  await auditCommand({
    recordSubjects: () => Promise.resolve(),
    withLog: (work) => work({ pool, opener, signingKeys }),
    print: (line) => Promise.resolve(void result.lines.push(line)),
    warn: () => undefined,
    fail: () => (result.failed = true),
  }).parseAsync(['verify', ...words], { from: 'user' });
  return result;
}

function anchorFile(content: string): string {
  const file = join(folder, `anchors-${randomUUID()}`);
  writeFileSync(file, content);
  return file;
}

/** Changes the log as a superuser can, and takes it back. */
async function tampered(sql: string, ...words: string[]): Promise<Result> {
  await under.superuser.query(`CREATE TEMPORARY TABLE kept_checkpoint AS TABLE audit.checkpoint;
    CREATE TEMPORARY TABLE kept AS TABLE audit.block; ${sql}`);
  try {
    return await verify(...words);
  } finally {
    await under.superuser.query(`TRUNCATE audit.block, audit.checkpoint; INSERT INTO audit.block TABLE kept;
      INSERT INTO audit.checkpoint TABLE kept_checkpoint; DROP TABLE kept, kept_checkpoint`);
  }
}

describe('audit verify', () => {
  it('finds nothing in an unchanged log', async () => {
    const anchor = anchorFile(`${JSON.stringify({ number: 1, hash: checkpoint.hash.toString('hex') })}\n`);
    for (const words of [[], ['--contents'], ['--anchor', anchor], ['--from', '2026']])
      expect(await verify(...words)).toEqual({
        lines: [
          '1 streams, 3 blocks with 5 events and 1 checkpoints were verified: the audit log is complete and unchanged',
        ],
        failed: false,
      });
    expect((await verify('--json')).lines.map((line) => JSON.parse(line) as object)).toEqual([
      { streams: 1, blocks: 3, events: 5, checkpoints: 1, findings: 0 },
    ]);
  });

  it.each([
    [
      'a changed block',
      `UPDATE audit.block SET content = content || '\\x00' WHERE sequence = 1`,
      /^block changed .*block 1/,
    ],
    ['a deleted block', 'DELETE FROM audit.block WHERE sequence = 1', /^block missing .*block/],
    [
      'a truncated stream',
      'DELETE FROM audit.block WHERE sequence = 2',
      /^signed block missing .*block 2 .*checkpoint 1/,
    ],
    [
      'a changed checkpoint',
      "UPDATE audit.checkpoint SET at = at + interval '1 s'",
      /^checkpoint (changed|not signed)/,
    ],
  ])('finds %s', async (_what, sql, problem) => {
    const { lines, failed } = await tampered(sql);
    expect([lines[0], failed]).toEqual([expect.stringMatching(problem), true]);
    expect(lines.find((line) => line.includes(streamId) || line.includes('checkpoint'))).toMatch(/\d{4}-\d\d-\d\dT/);
    expect(lines.at(-1)).toMatch(/: \d+ problems$/);
  });

  it('finds with the anchors that the newest checkpoint was deleted together with its blocks', async () => {
    const anchor = anchorFile(`${JSON.stringify({ number: 1, hash: checkpoint.hash.toString('hex') })}\n`);
    const sql = 'DELETE FROM audit.checkpoint; DELETE FROM audit.block WHERE sequence = 2';
    expect((await tampered(sql)).failed).toBe(false);
    const { lines, failed } = await tampered(sql, '--anchor', anchor);
    expect([lines[0], failed]).toEqual(['anchored checkpoint missing  checkpoint 1', true]);
  });

  it('refuses a file that is no anchor file', async () => {
    await expect(verify('--anchor', anchorFile('{"number":1}\n'))).rejects.toThrow(/line 1 of .* is no checkpoint/);
    await expect(verify('--anchor', join(folder, 'none'))).rejects.toThrow(/ENOENT/);
  });
});

describe('the periodic verification', () => {
  const hours = (count: number): string => `now() - interval '${count} hours'`;
  const setState = (verifiedAt: string, claimedUntil = 'NULL'): Promise<unknown> =>
    under.superuser.query(
      `UPDATE audit.verification SET verified_at = ${verifiedAt}, claimed_until = ${claimedUntil}, position = NULL`,
    );
  const state = async (): Promise<{ ended: boolean; claimed: boolean; position: { checkpoint: number } | null }> => {
    const { rows } = await under.superuser.query<Awaited<ReturnType<typeof state>>>(
      `SELECT coalesce(verified_at BETWEEN now() - interval '1 hour' AND now(), false) AS ended,
         claimed_until IS NOT NULL AS claimed, position FROM audit.verification`,
    );
    return rows[0]!;
  };

  /** Runs the task of one process once. @returns the events that it has recorded */
  async function runOnce(options: { checkpointsAtOnce?: number; fails?: boolean } = {}): Promise<NewAuditEvent[]> {
    const recorded: NewAuditEvent[] = [];
    const { fails = false, ...others } = options;
    const key = under.environment['AUDIT_SIGNING_KEY']!;
    const task = startVerification({
      pool,
      signingKey: { accepted: [key], current: key },
      opener: openingKeys({ accepted: [under.environment['AUDIT_OPENING_KEY']!] }),
      intervalHours: 24,
      anchorFile: undefined,
      audit: {
        record: (one) => {
          recorded.push(one);
          return fails ? Promise.reject(new Error('for the test')) : Promise.resolve('');
        },
        recordRefused: () => Promise.resolve(),
        count: () => undefined,
      },
      log: createLog('audit-log', 'silent'),
      ...others,
    });
    // It runs at its start, and its end waits for the run.
    await task.stop();
    return recorded;
  }

  it('records the result, and when it has ended', async () => {
    await setState('NULL');
    expect(await runOnce()).toMatchObject([
      {
        kind: 'audit.verified',
        outcome: 'success',
        entities: [{ counts: { blocks: 3, checkpoints: 1, findings: 0 } }],
      },
    ]);
    expect(await state()).toEqual({ ended: true, claimed: false, position: null });
  });

  it.each([
    ['is due a day after the last, though the process has only started', hours(25), 'NULL', 1],
    ['is not due before, however often a process starts', hours(23), 'NULL', 0],
    ['is not put off by a time in the future', `now() + interval '1 year'`, 'NULL', 1],
    ['waits for another process', hours(25), `now() + interval '5 minutes'`, 0],
    ['does not wait for a process that was killed', hours(25), hours(1), 1],
    ['does not wait for a turn that no process has taken', hours(25), `now() + interval '1 year'`, 1],
  ])('%s', async (_what, verifiedAt, claimedUntil, runs) => {
    await setState(verifiedAt, claimedUntil);
    expect(await runOnce()).toHaveLength(runs);
  });

  it('is done by one of several replicas', async () => {
    await setState(hours(25));
    const recorded = await Promise.all(Array.from({ length: 5 }, () => runOnce()));
    expect(recorded.flat()).toHaveLength(1);
  });

  it('is tried again when its event cannot be recorded', async () => {
    await setState(hours(25));
    expect(await runOnce({ fails: true })).toHaveLength(1);
    expect(await state()).toEqual({ ended: false, claimed: false, position: null });
    expect(await runOnce()).toHaveLength(1);
  });

  it('verifies blocks since the last one, however long ago', async () => {
    const stream = await under.stream();
    await stream.add(Date.now() - 70 * 3_600_000, [event]);
    const blocks = async (): Promise<unknown> => (await runOnce())[0]?.entities?.[0]?.counts?.['blocks'];
    await setState(hours(25));
    expect(await blocks()).toBe(3);
    await setState(hours(50));
    expect(await blocks()).toBe(4);
    await under.superuser.query('DELETE FROM audit.block WHERE stream_id = $1', [stream.streamId]);
  });

  it('continues with many checkpoints where the turn before has ended, also in another process', async () => {
    const stream = await under.stream();
    const key = under.environment['AUDIT_SIGNING_KEY']!;
    const log = new CheckpointLog(pool, { accepted: [key], current: key }, () => undefined);
    for (let made = 0; made < 2; made++) {
      await stream.add(Date.now(), [{ ...event, kind: 'service.started' }]);
      await log.make(0);
    }
    await under.superuser.query(
      `INSERT INTO audit.retirement (partition, from_at, to_at, blocks, heads, dropped_at)
       VALUES ('block_2001_01', '2001-01-01Z', '2001-02-01Z', 5, '', '2001-02-01Z')`,
    );
    await under.superuser.query(`UPDATE audit.checkpoint SET at = at + interval '1 s' WHERE number = 1`);
    await setState(hours(25));
    const findings: unknown[] = [];
    for (const left of [3, 2, 1, null]) {
      const [verified] = await runOnce({ checkpointsAtOnce: 1 });
      findings.push(verified?.entities?.[0]?.counts?.['findings']);
      expect((await state()).position?.checkpoint ?? null).toBe(left);
    }
    // The changed checkpoint is the third, and that no checkpoint has signed the retirement is known at the end.
    expect([findings, (await state()).ended]).toEqual([[expect.any(Number), 0, 1, 1], true]);
    expect(await runOnce({ checkpointsAtOnce: 1 })).toEqual([]);
  });
});
