import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuditEvent } from '@tributary/audit-log';
import { type AuditVerificationLine, InternalHttp, OperatorAuditClient } from '@tributary/contracts';
import type { RunningService } from '@tributary/service-kit';
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
const servers: Server[] = [];
/** Of the service, and of another instance of it. */
let baseUrls: string[];
let audit: OperatorAuditClient;
const clientOf = (caller: string, key: string, baseUrl = baseUrls[0]!): OperatorAuditClient =>
  new OperatorAuditClient(new InternalHttp({ service: 'audit-log', baseUrl, caller, key }));

async function listen({ internalApp }: Pick<RunningService, 'internalApp'>): Promise<string> {
  const server = createServer(internalApp).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  under = await AuditLogUnderTest.start({}, true);
  pool = new Pool({ connectionString: under.reader.url });
  baseUrls = [await listen(under.service), await listen(await under.startReplica())];
  audit = clientOf('console', consoleKey);
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await pool.end();
  await under.stop();
});

async function linesOf(
  body: { days?: number; contents?: boolean },
  signal?: AbortSignal,
): Promise<AuditVerificationLine[]> {
  const lines: AuditVerificationLine[] = [];
  for await (const line of audit.verify({ ...body, operator }, signal && { signal })) lines.push(line);
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

it('verifies for the console only, records the operator with the counts, and logs what it finds', async () => {
  await expect(clientOf('search', consoleKey).state()).rejects.toMatchObject({ status: 401 });
  const alarms = jest.spyOn(under.log, 'error');
  expect((await linesOf({ days: 2, contents: false })).at(-1)).toMatchObject({ line: 'result', findings: ofTests });
  expect(alarms.mock.calls.map(([, text]) => text)).toEqual([
    ...Array.from({ length: ofTests }, () => 'the audit log was changed'),
    'the audit log was verified',
  ]);
  alarms.mockRestore();
  // The event follows the answer.
  await waitUntil(async () => (await recorded()).length > 0, 'the call is recorded');
  expect(await recorded()).toMatchObject([
    {
      kind: 'audit.verified',
      action: 'E',
      outcome: 'failed',
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

/** The verification waits for the table. */
const holdUp = (): Promise<unknown> =>
  under.superuser.query('BEGIN; LOCK TABLE audit.retirement IN ACCESS EXCLUSIVE MODE');
const waiting = (): Promise<unknown> =>
  waitUntil(async () => {
    const { rows } = await under.superuser.query('SELECT FROM pg_locks WHERE NOT granted');
    return rows.length > 0;
  }, 'the verification waits');
const refusal = { status: 409, errorCode: 'verification_running' };

it('verifies once at a time over all replicas, and stops when the caller is gone', async () => {
  await holdUp();
  const ended = new AbortController();
  const failure = expect(linesOf({}, ended.signal)).rejects.toMatchObject({ status: 0 });
  await waiting();
  for (const baseUrl of baseUrls)
    await expect(clientOf('console', consoleKey, baseUrl).verify({ operator }).next()).rejects.toMatchObject(refusal);
  expect((await audit.state()).verification.is_running).toBe(true);
  ended.abort();
  await failure;
  await under.superuser.query('COMMIT');
  await waitUntil(async () => (await recorded()).some(({ outcome }) => outcome === 'aborted'), 'it has stopped');
  const { verified_at: verifiedAt } = (await audit.state()).verification;
  expect((await linesOf({ days: 1 })).at(-1)).toMatchObject({ line: 'result' });
  // The periodic one is not put off by it.
  expect((await audit.state()).verification).toMatchObject({ verified_at: verifiedAt, is_running: false });
});

it('does not wait for a process that was killed while it verified', async () => {
  await under.superuser.query("UPDATE audit.verification SET claimed_until = now() + interval '1 minute'");
  await expect(linesOf({ days: 1 })).rejects.toMatchObject(refusal);
  await under.superuser.query("UPDATE audit.verification SET claimed_until = now() - interval '1 s'");
  expect((await linesOf({ days: 1 })).at(-1)).toMatchObject({ line: 'result' });
});

it('sends a line each second, also while nothing is counted', async () => {
  await holdUp();
  const lines = audit.verify({ operator, contents: false });
  const none = { streams: 0, blocks: 0, events: 0, checkpoints: 0, findings: 0 };
  for (let second = 0; second < 2; second++) expect((await lines.next()).value).toEqual({ line: 'progress', ...none });
  await under.superuser.query('COMMIT');
  for await (const line of lines) if (line.line === 'result') expect(line.blocks).toBeGreaterThan(0);
});
