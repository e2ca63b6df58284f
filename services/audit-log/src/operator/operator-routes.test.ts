import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuditEvent } from '@tributary/audit-log';
import { type AuditVerificationLine, InternalHttp, OperatorAuditClient } from '@tributary/contracts';
import { waitUntil } from '@tributary/test-environment';
import { Pool } from 'pg';
import { AuditLogUnderTest, consoleKey } from '../../test/audit-log-under-test';
import { AuditBlocks } from '../blocks/audit-blocks';
import { CheckpointLog } from '../checkpoints/checkpoint-log';

const operator = '00000000-0000-4000-8000-000000000009';
const event = { kind: 'fhir.read', action: 'R', outcome: 'success', agent: { clientId: 'app' }, subject: 7 } as const;
/** The default role of the tables is another one in tests. */
const ofTests = 7;
const started = { kind: 'service.started', action: 'E', outcome: 'success', agent: { service: 'fhir-store' } } as const;

let under: AuditLogUnderTest;
let pool: Pool;
let server: Server;
let baseUrl: string;
let audit: OperatorAuditClient;
const clientOf = (caller: string, key: string): OperatorAuditClient =>
  new OperatorAuditClient(new InternalHttp({ service: 'audit-log', baseUrl, caller, key }));

beforeAll(async () => {
  under = await AuditLogUnderTest.start({}, true);
  pool = new Pool({ connectionString: under.reader.url });
  server = createServer(under.service.internalApp).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  audit = clientOf('console', consoleKey);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await pool.end();
  await under.stop();
});

async function linesOf(body: { days?: number; contents?: boolean }): Promise<AuditVerificationLine[]> {
  const lines: AuditVerificationLine[] = [];
  for await (const line of audit.verify({ ...body, operator })) lines.push(line);
  return lines;
}

/** The events that name the operator. */
async function recorded(): Promise<AuditEvent[]> {
  const found: AuditEvent[] = [];
  const log = new AuditBlocks(pool, under.config.AUDIT_OPENING_KEY, () => undefined);
  const range = { keys: [], from: 0, before: Date.now() + 1000, isDescending: false, limit: 500 };
  for await (const { events } of (await log.range(range)).blocks)
    for (const { event } of events) if (event.agent.operator === operator) found.push(event);
  return found;
}

it('shows checkpoints, streams and the last verification with its counts', async () => {
  await waitUntil(async () => (await audit.state()).verification.counts !== null, 'the first verification has ended');
  const { verification } = await audit.state();
  const number = expect.any(Number) as number;
  expect(verification).toEqual({
    verified_at: expect.any(String) as string,
    counts: { streams: number, blocks: number, events: number, checkpoints: number, findings: ofTests },
    is_running: false,
    due_at: new Date(Date.parse(verification.verified_at!) + 86_400_000).toISOString(),
    is_overdue: false,
  });
  const stream = await under.stream();
  await under.superuser.query('UPDATE audit.stream SET instance = $2 WHERE stream_id = $1', [
    stream.streamId,
    'host\n\u202e1',
  ]);
  await stream.add(Date.now(), [started]);
  const made = await new CheckpointLog(pool, under.config, () => undefined).make(0);
  const { checkpoints, streams } = await audit.state();
  expect(checkpoints[0]).toMatchObject({ number: made!.number, key: made!.keyId, hash: made!.hash.toString('hex') });
  expect(streams.find((each) => each.stream === stream.streamId)).toMatchObject({
    service: 'fhir-store',
    role: 'fhir_store',
    instance: 'host\uFFFD\uFFFD1',
    blocks: 1,
  });
});

it('says what it does not know, and what is overdue', async () => {
  const state = async (verifiedAt: string): Promise<unknown> => {
    await under.superuser.query(`UPDATE audit.verification SET verified_at = ${verifiedAt}, claimed_until = NULL`);
    return (await audit.state()).verification;
  };
  const none = { verified_at: null, counts: null, is_running: false, due_at: null, is_overdue: false };
  expect(await state('NULL')).toEqual(none);
  expect(await state("now() + interval '1 year'")).toEqual(none);
  expect(await state("'-infinity'")).toEqual(none);
  expect(await state("now() - interval '49 hours'")).toEqual({
    ...none,
    verified_at: expect.any(String) as string,
    is_overdue: true,
  });
  await state('now()');
});

it('verifies for the console only, and records the operator with the counts', async () => {
  await expect(clientOf('search', consoleKey).state()).rejects.toMatchObject({ status: 401 });
  expect((await linesOf({ days: 2, contents: false })).at(-1)).toMatchObject({ line: 'result', findings: ofTests });
  expect(await recorded()).toMatchObject([
    {
      kind: 'audit.verified',
      action: 'E',
      outcome: 'success',
      agent: { service: 'console', operator },
      entities: [{ query: 'audit verify of 2 days', counts: { findings: ofTests } }],
    },
  ]);
  await expect(audit.verify({ days: 0, operator }).next()).rejects.toMatchObject({ status: 400 });
});

it('lists the first findings, and counts them all', async () => {
  const stream = await under.stream();
  for (let block = 0; block < 120; block++) await stream.add(Date.now(), [block === 0 ? started : event]);
  await under.superuser.query("UPDATE audit.block SET content = content || '\\x00' WHERE stream_id = $1", [
    stream.streamId,
  ]);
  const lines = await linesOf({ contents: false });
  const findings = lines.filter(({ line }) => line === 'finding');
  expect(findings).toHaveLength(100);
  expect(findings[ofTests]).toMatchObject({ problem: 'block changed', stream: stream.streamId, block: 0 });
  expect(lines.at(-1)).toMatchObject({ line: 'result', findings: 120 + ofTests });
  await under.superuser.query('DELETE FROM audit.block WHERE stream_id = $1', [stream.streamId]);
});

it('verifies once at a time, and stops when the caller is gone', async () => {
  // The verification waits for the table.
  await under.superuser.query('BEGIN; LOCK TABLE audit.retirement IN ACCESS EXCLUSIVE MODE');
  const ended = new AbortController();
  const first = audit.verify({ operator }, { signal: ended.signal }).next();
  const failure = expect(first).rejects.toMatchObject({ status: 0 });
  await waitUntil(async () => {
    const { rows } = await under.superuser.query('SELECT FROM pg_locks WHERE NOT granted');
    return rows.length > 0;
  }, 'the verification waits');
  await expect(audit.verify({ operator }).next()).rejects.toMatchObject({
    status: 409,
    errorCode: 'verification_running',
  });
  ended.abort();
  await failure;
  await under.superuser.query('COMMIT');
  await waitUntil(async () => (await recorded()).some(({ outcome }) => outcome === 'aborted'), 'it has stopped');
  expect((await linesOf({ days: 1 })).at(-1)).toMatchObject({ line: 'result' });
});
