import { decodeCheckpointContent } from '@tributary/audit-log';
import { Pool } from 'pg';
import { AuditLogUnderTest } from '../../test/audit-log-under-test';
import { CheckpointLog } from '../checkpoints/checkpoint-log';
import { exportEvents } from '../commands/export-events';
import { listStreams } from '../commands/list-log';
import { findingLine, verifyLog } from '../verification/verify-log';
import { AuditBlocks } from './audit-blocks';
import { openingKeys } from './opening-keys';

const hour = 3_600_000;
const now = Date.now();
let under: AuditLogUnderTest;
let pool: Pool;
let client: { client_id: string; client_secret: string };
let streamId: string;

beforeAll(async () => {
  under = await AuditLogUnderTest.start();
  pool = new Pool({ connectionString: under.reader.url });
  client = under.newClient();
  const stream = await under.stream('fhir-store', now - hour);
  ({ streamId } = stream);
  const agent = { clientId: client.client_id };
  for (const at of [now - hour, now - 1000])
    await stream.add(at, [{ kind: 'fhir.read', action: 'R', outcome: 'success', agent, subject: 77 }]);
  await under.superuser.query(`ALTER TABLE audit.block DROP CONSTRAINT block_is_well_formed;
    ALTER TABLE audit.stream DROP CONSTRAINT stream_is_well_formed`);
});
afterAll(async () => {
  await pool.end();
  await under.stop();
});

const columns = ['stream_id', 'sequence', 'started_at', 'events', 'keys', 'previous', 'content', 'hash', 'written_by'];

/** Rows that a superuser inserts after dropping the constraints, which refuse most of them to everybody else. */
it.each<[string, Record<string, string>]>([
  ['keys with NULL', { keys: 'keys || NULL::bigint' }],
  ['keys of two dimensions', { keys: 'ARRAY[keys, keys]' }],
  ['an infinite time', { started_at: `'infinity'` }],
  ['a time before all times', { started_at: `'-infinity'` }],
  ['a negative number of events', { events: '-1' }],
  ['a number that JavaScript does not have', { sequence: '9223372036854775807' }],
  ['a negative number', { sequence: '-5' }],
  ['the next number, of another role', { sequence: '2', written_by: `'search'` }],
  ['a short hash', { sequence: '3', hash: `'\\x00'` }],
  ['no stream', { stream_id: 'gen_random_uuid()' }],
])('a block with %s hides no other event', async (_what, changed) => {
  const { rows } = await under.superuser.query<{ id: string }>(
    `INSERT INTO audit.block (${columns.join(', ')})
     SELECT ${columns.map((column) => changed[column] ?? (column === 'started_at' ? `now() - interval '1 minute'` : column)).join(', ')}
     FROM audit.block WHERE stream_id = $1 AND sequence = 0 RETURNING ctid::text || tableoid::text AS id`,
    [streamId],
  );
  try {
    for (const query of ['', '?_sort=date', '?patient=77']) {
      const { status, body } = await under.get(`/audit/r4/AuditEvent${query}`, { ...client });
      const found = ((body as { entry?: { resource: { resourceType: string } }[] }).entry ?? []).filter(
        ({ resource }) => resource.resourceType === 'AuditEvent',
      );
      expect([status, found.length]).toEqual([200, 2]);
    }
    const blocks = new AuditBlocks(
      pool,
      openingKeys({ accepted: [under.environment['AUDIT_OPENING_KEY'] ?? ''] }),
      () => undefined,
    );
    const lines: string[] = [];
    for await (const line of exportEvents(blocks, { userId: 77, from: 0, before: Infinity })) lines.push(line);
    expect(lines).toHaveLength(2);
    expect(await listStreams(pool, 100_000)).toEqual([expect.objectContaining({ service: 'fhir-store' })]);
    const key = under.environment['AUDIT_SIGNING_KEY'] ?? '';
    await under.superuser.query('DELETE FROM audit.checkpoint');
    const made = await new CheckpointLog(pool, { accepted: [key], current: key }, () => undefined).make(0);
    expect(decodeCheckpointContent(made!.heads).heads).toEqual([expect.objectContaining({ streamId, sequence: 1 })]);
    const findings: string[] = [];
    await verifyLog({ pool, signingKeys: [key], onFinding: (finding) => findings.push(findingLine(finding)) });
    expect(findings.length).toBeGreaterThan(0);
  } finally {
    await under.superuser.query('DELETE FROM audit.block WHERE ctid::text || tableoid::text = $1', [rows[0]?.id]);
  }
});

it('a stream with an infinite time does not hide the others', async () => {
  await under.superuser.query(
    `INSERT INTO audit.stream (stream_id, service, instance, started_at, key_wrapped, key_id, version)
     VALUES (gen_random_uuid(), 'auth', 'host', 'infinity', '', 'key', '1')`,
  );
  expect((await listStreams(pool, 1)).map(({ started }) => started)).toEqual([
    'infinity',
    new Date(now - hour).toISOString(),
  ]);
});
