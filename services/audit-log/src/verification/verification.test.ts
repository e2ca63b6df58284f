import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkpoint, NewAuditEvent } from '@tributary/audit-log';
import { createLog } from '@tributary/service-kit';
import { Pool } from 'pg';
import { AuditLogUnderTest } from '../../test/audit-log-under-test';
import { AuditBlocks } from '../blocks/audit-blocks';
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
  const stream = await under.stream(under.writerService);
  ({ streamId } = stream);
  const started = { kind: 'service.started', action: 'E', outcome: 'success' } as const;
  await stream.add(Date.now(), [{ ...started, agent: { service: under.writerService } }]);
  for (let blocks = 0; blocks < 2; blocks++) await stream.add(Date.now(), [event, event]);
  const key = under.environment['AUDIT_SIGNING_KEY']!;
  checkpoint = (await new CheckpointLog(pool, { accepted: [key], current: key }).make(0))!;
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
    withLog: (work) => work({ pool, blocks: new AuditBlocks(pool, opener), opener, signingKeys }),
    print: (line) => Promise.resolve(void result.lines.push(line)),
    fail: () => (result.failed = true),
  }).parseAsync(['verify', ...words], { from: 'user' });
  return result;
}

function anchorFile(content: string): string {
  const file = join(folder, `anchors-${Math.random()}`);
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

it('verifies the log from time to time, and records the result', async () => {
  const recorded: NewAuditEvent[] = [];
  let found: () => void;
  const isFound = new Promise<void>((resolve) => (found = resolve));
  const key = under.environment['AUDIT_SIGNING_KEY']!;
  const task = startVerification({
    pool,
    signingKey: { accepted: [key], current: key },
    opener: openingKeys({ accepted: [under.environment['AUDIT_OPENING_KEY']!] }),
    intervalHours: 1 / 360_000,
    anchorFile: undefined,
    audit: {
      record: (one) => {
        recorded.push(one);
        found();
        return Promise.resolve('');
      },
      count: () => undefined,
    },
    log: createLog('audit-log', 'silent'),
  });
  await isFound;
  await task.stop();
  expect(recorded[0]).toMatchObject({
    kind: 'audit.verified',
    outcome: 'success',
    entities: [{ counts: { checkpoints: 1, findings: 0 } }],
  });
});
