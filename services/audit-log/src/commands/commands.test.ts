import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewAuditEvent } from '@tributary/audit-log';
import { Pool } from 'pg';
import { AuditLogUnderTest } from '../../test/audit-log-under-test';
import { CheckpointLog } from '../checkpoints/checkpoint-log';
import { auditCommand } from './audit-command';

const ada = 1001;
const day = 86_400_000;
const now = Date.UTC(2026, 10, 22, 12);

let under: AuditLogUnderTest;
let pool: Pool;
const ids: string[] = [];

function event(changes: Partial<NewAuditEvent>): NewAuditEvent {
  const agent = { clientId: 'app', serviceUserId: ada };
  return {
    kind: 'fhir.read',
    action: 'R',
    outcome: 'success',
    agent,
    subject: ada,
    address: '203.0.113.7',
    ...changes,
  };
}

beforeAll(async () => {
  under = await AuditLogUnderTest.start();
  // It would make checkpoints as well.
  await under.stopService();
  pool = new Pool({ connectionString: under.reader.url });
  const stream = await under.stream('fhir-store', now - 400 * day);
  const exports = await under.stream('analytics-export', now - 400 * day);
  const add = async (to: typeof stream, at: number, events: NewAuditEvent[]): Promise<void> =>
    void ids.push(...(await to.add(at, events)));
  const users = await under.stream('user-management', now - 401 * day);
  await add(users, now - 401 * day, [event({ kind: 'user.created', action: 'C' })]);
  await add(stream, now - 400 * day, [event({ entities: [{ release: 'r4', type: 'Patient', id: 'p-1' }] })]);
  await add(stream, now - 2 * day, [
    event({ kind: 'fhir.search', entities: [{ release: 'r4', type: 'Observation', query: 'code&date', count: 3 }] }),
    // Their responses have what is stored, also where the request changed nothing.
    event({ kind: 'fhir.create', action: 'C', entities: [{ release: 'r4', type: 'Patient', id: 'p-2' }] }),
    event({ kind: 'fhir.update', action: 'U' }),
    event({ kind: 'fhir.patch', action: 'U', agent: { clientId: 'app', serviceUserId: ada, developer: 'jane-1' } }),
    event({ kind: 'fhir.delete', action: 'D' }),
    event({ outcome: 'refused' }),
    event({ subject: 1002, agent: { clientId: 'other' } }),
  ]);
  await add(exports, now - 2 * day + 1, [
    event({ kind: 'download', action: 'E', outcome: 'begun', agent: { clientId: '=cmd, "x"' } }),
    event({ kind: 'download', action: 'E', outcome: 'begun', agent: { clientId: 'app' } }),
  ]);
  await add(exports, now - day, [
    event({
      kind: 'download',
      action: 'E',
      outcome: 'aborted',
      agent: { clientId: 'app' },
      eventOf: ids.at(-1)!,
      entities: [{ counts: { 'Patient r4': 2 }, bytes: 99 }],
    }),
    // Of all users of the client, once before and once after the user is known.
    ...[500 * day, 3 * day].map((ago) =>
      event({
        kind: 'download',
        subject: undefined,
        at: now - ago,
        agent: { clientId: 'app' },
      } as Partial<NewAuditEvent>),
    ),
    event({ kind: 'download', subject: undefined, agent: { clientId: 'other' } } as Partial<NewAuditEvent>),
    // It was imported: it happened long before it was recorded.
    event({ kind: 'download', action: 'E', at: now - 300 * day, agent: { clientId: 'app' } }),
  ]);
  await add(stream, now - day + 1, [
    event({
      kind: 'operator.command',
      action: 'E',
      agent: { service: 'fhir-store', operator: 'jane@console', clientId: 'app' },
      entities: [{ query: 'record verify --user' }],
    }),
  ]);
});
afterAll(async () => {
  await pool.end();
  await under.stop();
});

interface Result {
  subjects: object[];
  lines: string[];
  warnings: string[];
  failed: boolean;
}

async function resultOf(words: string[]): Promise<Result> {
  const result: Result = { subjects: [], lines: [], warnings: [], failed: false };
  const command = auditCommand({
    recordSubjects: (subjects) => Promise.resolve(void result.subjects.push(...subjects)),
    withLog: (work) => work(pool, under.config),
    print: (line) => Promise.resolve(void result.lines.push(line)),
    warn: (line) => void result.warnings.push(line),
    fail: () => (result.failed = true),
  }).exitOverride();
  for (const each of command.commands) each.exitOverride().configureOutput({ writeErr: () => undefined });
  await command.parseAsync(words, { from: 'user' });
  return result;
}

async function run(...words: string[]): Promise<string[]> {
  const { lines, warnings, failed } = await resultOf(words);
  expect([warnings, failed]).toEqual([[], false]);
  return lines;
}

describe('audit disclosures', () => {
  it("accounts for everything that left the installation and operators' commands, and for nothing else", async () => {
    const lines = await run('disclosures', '--user', String(ada), '--json');
    const rows = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(rows.map(({ date, recipient, what }) => [date?.slice(0, 10), recipient, what])).toEqual([
      ['2025-10-18', 'app', 'fhir.read: r4/Patient/p-1'],
      ['2026-01-26', 'app', 'download'],
      ['2026-11-19', 'app', 'download, in an export of all users'],
      ['2026-11-20', 'app', 'fhir.search: r4/Observation, searched by code&date, 3 resources'],
      ['2026-11-20', 'app', 'fhir.create: r4/Patient/p-2'],
      ['2026-11-20', 'app', 'fhir.update'],
      ['2026-11-20', 'jane-1', 'fhir.patch'],
      ['2026-11-20', '=cmd, "x"', 'download (the end is not known)'],
      ['2026-11-21', 'app', 'download: Patient r4: 2, 99 bytes (not received completely)'],
      ['2026-11-21', 'jane@console', 'operator.command: record verify --user'],
    ]);
    expect(new Set(rows.map(({ purpose }) => purpose))).toEqual(
      new Set([
        'access of the individual through the client application',
        'access of the client application on behalf of the individual',
        'access of a developer of the client application, in the console',
        'operation of this service',
      ]),
    );
  });

  it('does not take the word of a service for the work of another one', async () => {
    const before = await run('disclosures', '--user', String(ada), '--json');
    const other = await under.stream('search', now - day);
    const real = before.map((line) => (JSON.parse(line) as { event: string }).event);
    await other.add(now - day, [
      // These would hide the disclosures, ...
      ...real.map((eventOf) => event({ kind: 'download', action: 'E', eventOf })),
      ...real.map((eventOf) => event({ eventOf })),
      // ... invent others, ...
      event({ agent: { clientId: 'invented' } }),
      event({ kind: 'webhook.sent', agent: { clientId: 'invented' } }),
      // ... and make the user one of another client, or known for longer.
      event({ kind: 'user.read', agent: { clientId: 'other' } }),
      event({ kind: 'user.read', at: 0 }),
    ]);
    expect(await run('disclosures', '--user', String(ada), '--json')).toEqual(before);
    // Each service runs operator's commands, and says so in its own name only.
    await other.add(now - day + 2, [
      event({ kind: 'operator.command', action: 'E', agent: { operator: 'eve@host' }, eventOf: real.at(-1)! }),
    ]);
    expect((await run('disclosures', '--user', String(ada))).at(-1)).toMatch(/eve@host.* recorded by search$/);
    expect(await run('disclosures', '--user', String(ada))).toHaveLength(before.length + 1);
    for (const table of ['block', 'stream'])
      await under.superuser.query(`DELETE FROM audit.${table} WHERE stream_id = $1`, [other.streamId]);
  });

  it('says that a command has failed, whose end is known', async () => {
    const subject = 4713;
    const stream = await under.stream('fhir-store', now);
    const command = { kind: 'operator.command', action: 'E', agent: { operator: 'eve@host' }, subject } as const;
    const [begun] = await stream.add(now, [event({ ...command, outcome: 'begun' })]);
    await stream.add(now + 1, [event({ ...command, outcome: 'failed', eventOf: begun! })]);
    const lines = await run('disclosures', '--user', String(subject), '--json');
    expect(lines.map((line) => (JSON.parse(line) as { what: string }).what)).toEqual(['operator.command (failed)']);
    for (const table of ['block', 'stream'])
      await under.superuser.query(`DELETE FROM audit.${table} WHERE stream_id = $1`, [stream.streamId]);
  });

  it('shows a part of very long contents, and refuses what does not fit into memory', async () => {
    const subject = 4712;
    const stream = await under.stream('fhir-store', now);
    const agent = { operator: 'eve@host' };
    const entities = [{ query: 'x'.repeat(60_000) }];
    await stream.add(now, [event({ kind: 'operator.command', action: 'E', agent, subject, entities })]);
    expect((await run('disclosures', '--user', String(subject)))[0]?.length).toBeLessThan(2500);
    const users = await under.stream('user-management', now);
    await users.add(
      now,
      Array.from({ length: 11 }, (_, n) => event({ kind: 'user.read', subject, agent: { clientId: `c${n}` } })),
    );
    await expect(run('disclosures', '--user', String(subject))).rejects.toThrow('events of more than 10 clients');
    for (const { streamId } of [stream, users])
      for (const table of ['block', 'stream'])
        await under.superuser.query(`DELETE FROM audit.${table} WHERE stream_id = $1`, [streamId]);
  });

  it('covers a period by the time of the event, both dates included', async () => {
    const dates = async (...period: string[]): Promise<string[]> =>
      (await run('disclosures', '--user', String(ada), ...period)).map((line) => line.slice(0, 10));
    expect(await dates('--from', '2026-01-26', '--to', '2026-01-26')).toEqual(['2026-01-26']);
    expect(await dates('--from', '2026-11-21')).toEqual(['2026-11-21', '2026-11-21']);
    expect(await dates('--to', '2025')).toEqual(['2025-10-18']);
  });

  it('writes comma-separated values that a spreadsheet does not calculate', async () => {
    const [header, ...lines] = await run('disclosures', '--user', String(ada), '--from', '2026-11-20', '--csv');
    expect(header).toBe('date,recipient,address,what,purpose,recordedBy,event');
    expect(lines[4]).toContain(`,"'=cmd, ""x""",203.0.113.7,download (the end is not known),`);
  });

  it.each([
    ['disclosures', '--user', 'Ada'],
    ['disclosures', '--user', '1', '--from', 'yesterday'],
    ['export', '--to', '2026-13'],
  ])('refuses %s %s %s', async (...words) => {
    await expect(run(...words)).rejects.toThrow(/must be a/);
  });
});

describe('audit export', () => {
  it('writes each event with its place and the hash of its block', async () => {
    const lines = (await run('export')).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ id }) => id)).toEqual(ids);
    const { rows } = await pool.query<{ hash: string }>(
      `SELECT encode(hash, 'hex') AS hash FROM audit.block ORDER BY started_at`,
    );
    expect(new Set(lines.map(({ hash }) => hash))).toEqual(new Set(rows.map(({ hash }) => hash)));
    expect(lines[1]).toMatchObject({
      service: 'fhir-store',
      sequence: 0,
      kind: 'fhir.read',
      at: '2025-10-18T12:00:00.000Z',
    });
  });

  it('can be of one client, one user and a period', async () => {
    expect(await run('export', '--client', 'other')).toHaveLength(2);
    expect(await run('export', '--user', '1002')).toHaveLength(1);
    expect(await run('export', '--user', String(ada), '--client', 'other')).toEqual([]);
    expect(await run('export', '--from', '2026-11-21', '--to', '2026-11-21')).toHaveLength(6);
  });
});

it.each([
  [['disclosures', '--user', '1001'], [{ serviceUserId: ada }]],
  [['export', '--user', '1001', '--client', 'app'], [{ serviceUserId: ada, clientId: 'app' }]],
  [['export'], []],
])('records on whom audit %s acts', async (words, subjects) => {
  expect((await resultOf(words)).subjects).toEqual(subjects);
});

describe('a block that cannot be opened', () => {
  const broken = now - 2 * day;
  it.each([
    ['export', ['export'], 10],
    ['disclosures', ['disclosures', '--user', String(ada)], 6],
  ])('is left out of audit %s, named, and makes the command fail', async (_name, words, lines) => {
    expect((await run(...words)).length).toBeGreaterThan(lines);
    await under.superuser.query(
      `UPDATE audit.block SET content = content || '\\x00' WHERE started_at = to_timestamp($1::float8 / 1000)`,
      [broken],
    );
    try {
      const result = await resultOf(words);
      expect(result.lines).toHaveLength(lines);
      expect(result.warnings).toEqual([
        expect.stringMatching(/^block not opened {2}stream [0-9a-f-]{36} {2}block 1 {2}2026-11-20T12:00:00.000Z$/),
        'the result is incomplete: 1 block cannot be opened',
      ]);
      expect(result.failed).toBe(true);
    } finally {
      await under.superuser.query(
        `UPDATE audit.block SET content = substr(content, 1, length(content) - 1) WHERE started_at = to_timestamp($1::float8 / 1000)`,
        [broken],
      );
    }
  });
});

it('prints the newest checkpoint for an anchor file, and none that was not signed', async () => {
  await new CheckpointLog(pool, under.config, () => undefined).make(0);
  const [line] = await run('anchor');
  const folder = mkdtempSync(join(tmpdir(), 'anchor-'));
  const file = join(folder, 'anchors');
  writeFileSync(file, `${line}\n`);
  const missing = 'anchored checkpoint missing  checkpoint 1';
  expect((await resultOf(['verify', '--anchor', file])).lines).not.toContain(missing);

  const { rows } = await under.superuser.query('SELECT * FROM audit.checkpoint');
  await under.superuser.query('DELETE FROM audit.checkpoint');
  await expect(run('anchor')).rejects.toThrow('there is no checkpoint yet');
  expect((await resultOf(['verify', '--anchor', file])).lines).toContain(missing);
  const { number, at, previous, heads, hash, key_id } = rows[0] as Record<string, unknown>;
  await under.superuser.query('INSERT INTO audit.checkpoint VALUES ($1, $2, $3, $4, $5, $6, $7)', [
    number,
    at,
    previous,
    heads,
    hash,
    Buffer.alloc(64),
    key_id,
  ]);
  await expect(run('anchor')).rejects.toThrow('the checkpoint 1 is not signed by a key of AUDIT_SIGNING_KEY');
  await under.superuser.query('DELETE FROM audit.checkpoint');
  rmSync(folder, { recursive: true });
});

it('lists streams and checkpoints', async () => {
  const streams = JSON.parse((await run('streams', '--days', '100000', '--json'))[0]!) as { entry: object[] };
  expect(streams.entry).toEqual([
    expect.objectContaining({ service: 'fhir-store', blocks: 3 }),
    expect.objectContaining({ service: 'analytics-export', blocks: 2 }),
    expect.objectContaining({ service: 'user-management', blocks: 1 }),
  ]);
  const few = await resultOf(['streams', '--days', '100000', '--limit', '1']);
  expect([few.lines.length, few.warnings]).toEqual([1, ['there may be others: --limit is 1']]);
  const made = await new CheckpointLog(pool, under.config, () => undefined).make(0);
  const [newest] = await run('checkpoints', '--limit', '1');
  expect(newest).toMatch(
    new RegExp(`^${made!.number}  .*streams: 2  key: ${made!.keyId}  ${made!.hash.toString('hex')}$`),
  );
});

it('prints no control characters that a service has chosen', async () => {
  const subject = 4711;
  const forged = 'x\n2026-01-01T00:00:00.000Z  app  fhir.read\u001b[2K\u202e';
  const stream = await under.stream('fhir-store', Date.now());
  await under.superuser.query('UPDATE audit.stream SET instance = $2 WHERE stream_id = $1', [stream.streamId, forged]);
  const agent = { service: 'mcp' };
  const entities = [{ query: forged }];
  await stream.add(Date.now(), [{ kind: 'fhir.read', action: 'R', outcome: 'success', agent, subject, entities }]);
  for (const words of [['disclosures', '--user', String(subject)], ['streams']]) {
    const lines = (await run(...words)).filter((line) => line.includes('fhir.read'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/x\uFFFD2026[^\p{Cc}\u202e]*$/u);
  }
});
