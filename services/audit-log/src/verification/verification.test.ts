import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditTrail, Checkpoint, NewAuditEvent } from '@tributary/audit-log';
import { type PeriodicTask, createLog } from '@tributary/service-kit';
import { waitUntil } from '@tributary/test-environment';
import { Pool } from 'pg';
import { AuditLogUnderTest } from '../../test/audit-log-under-test';
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
  checkpoint = (await new CheckpointLog(pool, under.config, () => undefined).make(0))!;
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
  await auditCommand({
    recordSubjects: () => Promise.resolve(),
    withLog: (work) => work(pool, under.config),
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
    await expect(verify('--anchor', join(folder, 'none'))).rejects.toThrow(
      /none cannot be read: no such file or directory$/,
    );
  });
});

describe('the periodic verification', () => {
  const hours = (count: number): string => `now() - interval '${count} hours'`;
  const setState = (verifiedAt: string, claimedUntil = 'NULL'): Promise<unknown> =>
    under.superuser.query(`UPDATE audit.verification SET verified_at = ${verifiedAt}, claimed_until = ${claimedUntil}`);
  const state = async (): Promise<{ ended: boolean; claimed: boolean }> => {
    const { rows } = await under.superuser.query<Awaited<ReturnType<typeof state>>>(
      `SELECT coalesce(verified_at BETWEEN now() - interval '1 hour' AND now(), false) AS ended,
         claimed_until IS NOT NULL AS claimed FROM audit.verification`,
    );
    return rows[0]!;
  };

  /** Runs the task of one process once. @returns the events that it has recorded */
  async function runOnce({ fails = false } = {}): Promise<NewAuditEvent[]> {
    const recorded: NewAuditEvent[] = [];
    // It runs at its start, and its end waits for the run.
    await startTask(recorded, fails).stop();
    return recorded;
  }

  function startTask(recorded: NewAuditEvent[], fails: boolean, intervalHours = 24): PeriodicTask {
    const audit: AuditTrail = {
      record: (one) => {
        recorded.push(one);
        return fails ? Promise.reject(new Error('for the test')) : Promise.resolve('');
      },
      recordRefused: () => Promise.resolve(),
      count: () => undefined,
    };
    return startVerification(pool, under.config, audit, createLog('audit-log', 'silent'), intervalHours);
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
    expect(await state()).toEqual({ ended: true, claimed: false });
  });

  it.each([
    ['is due a day after the last, though the process has only started', hours(25), 'NULL', 1],
    ['is not due before, however often a process starts', hours(23), 'NULL', 0],
    ['is not put off by a time in the future', `now() + interval '1 year'`, 'NULL', 1],
    ['waits for another process', hours(25), `now() + interval '1 minute'`, 0],
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
    expect(await state()).toEqual({ ended: false, claimed: false });
    expect(await runOnce()).toHaveLength(1);
  });

  it('is made by each process after twice the interval, whatever somebody writes into the database', async () => {
    await setState('now()', `now() + interval '1 minute'`);
    const interval = 500;
    const recorded: NewAuditEvent[] = [];
    const task = startTask(recorded, false, interval / 3_600_000);
    const rewriting = setInterval(() => void setState('now()', `now() + interval '0.4 s'`).catch(() => undefined), 50);
    await waitUntil(() => recorded.length > 0, 'a verification was made');
    clearInterval(rewriting);
    await task.stop();
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
});
