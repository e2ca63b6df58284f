import { randomUUID } from 'node:crypto';
import { type NewAuditEvent, clientKey, contentOf } from '@tributary/audit-log';
import { Pool } from 'pg';
import { AuditLogUnderTest } from '../../test/audit-log-under-test';
import { CheckpointLog } from '../checkpoints/checkpoint-log';
import { exportEvents } from '../commands/export-events';
import { listStreams } from '../commands/list-log';
import { type PagePosition, findEvents } from '../search/find-events';
import { verifyLog } from '../verification/verify-log';
import { AuditBlocks, type BlockPlace } from './audit-blocks';

const hour = 3_600_000;
const now = Date.now();
let under: AuditLogUnderTest;
let pool: Pool;
let client: { client_id: string; client_secret: string };
let streamId: string;
/** Of the events, oldest first. */
let ids: string[];

beforeAll(async () => {
  under = await AuditLogUnderTest.start();
  pool = new Pool({ connectionString: under.reader.url });
  client = under.newClient();
  const stream = await under.stream('fhir-store', now - hour);
  ({ streamId } = stream);
  const agent = { clientId: client.client_id };
  ids = [];
  for (const at of [now - hour, now - 1000])
    ids.push(...(await stream.add(at, [{ kind: 'fhir.read', action: 'R', outcome: 'success', agent, subject: 77 }])));
  await under.superuser.query(`DROP TRIGGER block_of_own_stream ON audit.block;
    ALTER TABLE audit.block DROP CONSTRAINT block_is_well_formed, DROP CONSTRAINT block_is_bounded;
    ALTER TABLE audit.block ALTER hash DROP NOT NULL, ALTER previous DROP NOT NULL, ALTER content DROP NOT NULL,
      ALTER events DROP NOT NULL, ALTER written_by DROP NOT NULL;
    ALTER TABLE audit.stream DROP CONSTRAINT stream_is_well_formed, ALTER service DROP NOT NULL, ALTER key_id DROP NOT NULL,
      ALTER key_wrapped DROP NOT NULL, ALTER instance DROP NOT NULL, ALTER version DROP NOT NULL`);
});
afterAll(async () => {
  await pool.end();
  await under.stop();
});

async function foundOf(query: string): Promise<[events: number, isComplete: boolean]> {
  const { body } = await under.get(`/audit/r4/AuditEvent${query}`, { ...client }).expect(200);
  const types = ((body as { entry?: { resource: { resourceType: string } }[] }).entry ?? []).map(
    ({ resource }) => resource.resourceType,
  );
  return [types.filter((type) => type === 'AuditEvent').length, !types.includes('OperationOutcome')];
}

async function exportedEvents(
  blocks = new AuditBlocks(pool, under.config.AUDIT_OPENING_KEY, () => undefined),
): Promise<number> {
  let events = 0;
  for await (const _line of exportEvents(blocks, { userId: 77, from: 0, before: Infinity })) events++;
  return events;
}

it('opens blocks with a key that was added while the process runs', async () => {
  const secret: { accepted: readonly string[] } = { accepted: [] };
  const blocks = new AuditBlocks(pool, secret, () => undefined);
  expect(await exportedEvents(blocks)).toBe(0);
  secret.accepted = under.config.AUDIT_OPENING_KEY.accepted;
  expect(await exportedEvents(blocks)).toBe(2);
});

const columns = ['stream_id', 'sequence', 'started_at', 'events', 'keys', 'previous', 'content', 'hash', 'written_by'];

/**
 * Rows that a superuser inserts after dropping the constraints and the trigger, which refuse most of them to everybody
 * else.
 */
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
  ['the number of another', {}],
  ['a copy of another', { started_at: `started_at + interval '1 ms'` }],
  ['a time between two milliseconds', { started_at: `started_at + interval '600 us'` }],
  ['more content than a reader takes', { content: `decode(repeat('00', 16777217), 'hex')` }],
  ['more keys than its events can have', { keys: `keys || array_fill(77::bigint, ARRAY[12288])` }],
  ['NULL as hash', { hash: 'NULL' }],
  ['NULL as previous hash', { previous: 'NULL' }],
  ['NULL as content', { content: 'NULL' }],
  ['NULL as number of events', { events: 'NULL' }],
  ['NULL as role', { written_by: 'NULL' }],
])('a block with %s hides no other event', async (_what, changed) => {
  const { rows } = await under.superuser.query<{ id: string }>(
    `INSERT INTO audit.block (${columns.join(', ')})
     SELECT ${columns.map((column) => changed[column] ?? (column === 'started_at' ? `now() - interval '1 minute'` : column)).join(', ')}
     FROM audit.block WHERE stream_id = $1 AND sequence = 0 RETURNING ctid::text || tableoid::text AS id`,
    [streamId],
  );
  try {
    for (const query of ['', '?_sort=date', '?patient=77']) expect((await foundOf(query))[0]).toBe(2);
    for (const id of ids)
      expect((await under.get(`/audit/r4/AuditEvent/${id}`, { ...client })).body).toMatchObject({ id });
    expect(await exportedEvents()).toBe(2);
    expect(await listStreams(pool, 100_000, 10)).toEqual([expect.objectContaining({ service: 'fhir-store' })]);
    await under.superuser.query('DELETE FROM audit.checkpoint');
    const made = await new CheckpointLog(pool, under.config, () => undefined).make(0);
    // The next number is signed, whoever has inserted it.
    expect(contentOf(made!)?.heads).toContainEqual(
      expect.objectContaining({ streamId, sequence: changed['sequence'] === '2' ? 2 : 1 }),
    );
    const problems: string[] = [];
    await verifyLog(pool, under.config, { onFinding: ({ problem }) => problems.push(problem) });
    // Beside the trigger that was dropped, the row itself is found.
    expect(problems.filter((problem) => problem !== 'schema changed').length).toBeGreaterThan(0);
  } finally {
    await under.superuser.query('DELETE FROM audit.block WHERE ctid::text || tableoid::text = $1', [rows[0]?.id]);
  }
});

describe('rows of a role', () => {
  const insertStream = `INSERT INTO audit.stream (stream_id, service, instance, started_at, key_wrapped, key_id, version)`;
  const insertBlocks = `INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash)`;
  const forget = async (id: string): Promise<void> => {
    for (const table of ['block', 'stream'])
      await under.superuser.query(`DELETE FROM audit.${table} WHERE stream_id = $1`, [id]);
  };

  it('are not shown as events of another service, whose name they have', async () => {
    const stream = await under.stream('fhir-store', now - hour);
    await stream.add(now - 500, [
      { kind: 'fhir.read', action: 'R', outcome: 'success', agent: { clientId: client.client_id }, subject: 77 },
    ]);
    expect(await foundOf('?patient=77')).toEqual([3, true]);
    for (const table of ['stream', 'block'])
      await under.superuser.query(`UPDATE audit.${table} SET written_by = 'search' WHERE stream_id = $1`, [
        stream.streamId,
      ]);
    expect(await exportedEvents()).toBe(2);
    await forget(stream.streamId);
  });

  it.each(['service', 'key_id', 'key_wrapped'])('are not shown when the %s of their stream is NULL', async (column) => {
    const stream = await under.stream('fhir-store', now - hour);
    await stream.add(now - 500, [
      { kind: 'fhir.read', action: 'R', outcome: 'success', agent: { clientId: client.client_id }, subject: 77 },
    ]);
    await under.superuser.query(
      `UPDATE audit.stream SET ${column} = NULL, instance = NULL, version = NULL WHERE stream_id = $1`,
      [stream.streamId],
    );
    expect(await foundOf('?patient=77')).toEqual([2, false]);
    expect(await exportedEvents()).toBe(2);
    expect(await listStreams(pool, 1, 10)).toContainEqual(expect.objectContaining({ stream: stream.streamId }));
    await forget(stream.streamId);
  });

  it('are found in pages of a bounded size and time, whatever their events have', async () => {
    const stream = await under.stream('fhir-store', now - hour);
    const agent = { clientId: client.client_id };
    const entities = Array.from({ length: 500 }, () => ({}));
    const events = Array.from({ length: 40 }, (): NewAuditEvent => {
      return { kind: 'fhir.read', action: 'R', outcome: 'success', agent, subject: 78, entities };
    });
    const expected: string[] = [];
    for (let block = 0; block < 3; block++) expected.push(...(await stream.add(now - 900 + block, events)));
    const sizes: number[] = [];
    const found: string[] = [];
    let url: string | undefined = '/audit/r4/AuditEvent?patient=78&_count=1000&_sort=date';
    while (url !== undefined) {
      const answer = await under.get(url, { ...client }).expect(200);
      const { entry = [], link } = answer.body as {
        entry?: { resource: { id: string } }[];
        link: { relation: string; url: string }[];
      };
      found.push(...entry.map(({ resource }) => resource.id));
      sizes.push(answer.text.length);
      url = link.find(({ relation }) => relation === 'next')?.url.replace('https://base.example.org', '');
    }
    expect(found).toEqual(expected);
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBeLessThan(12 * 1024 ** 2);

    const blocks = new AuditBlocks(pool, under.config.AUDIT_OPENING_KEY, () => undefined);
    const query = { keys: [78n], from: 0, before: now, isDescending: true, count: 1000, matches: () => true };
    const pages: number[] = [];
    for (let position: PagePosition | undefined; ;) {
      const page = await findEvents(blocks, query, position, { blocks: 20_000, milliseconds: 0 });
      pages.push(page.events.length);
      position = page.next;
      if (!position) break;
    }
    // A page ends within a page of blocks, and where nothing is found.
    expect(pages.filter((events) => events > 0)).toEqual([40, 40, 40]);
    expect(pages.filter((events) => events === 0).length).toBeGreaterThan(1);
    await forget(stream.streamId);
  });

  it('are read in pages that fit into memory, in both directions', async () => {
    const own = randomUUID();
    await under.writer.query(`${insertStream} VALUES ($1, 'auth', 'host', now(), '', 'key', '1')`, [own]);
    const zeros = Buffer.alloc(32);
    for (let sequence = 0; sequence < 3; sequence++)
      await under.writer.query(
        `${insertBlocks} VALUES ($1, $2, to_timestamp($3::float8 / 1000), 1, $5, $4, decode(repeat('00', 9000000), 'hex'), $4)`,
        [own, sequence, now - 2000 + sequence, zeros, ['77', String(clientKey(client.client_id))]],
      );
    expect(await foundOf('?patient=77')).toEqual([2, false]);
    expect(await foundOf('?patient=77&_sort=date')).toEqual([2, false]);
    const blocks = new AuditBlocks(pool, { accepted: [] }, () => undefined);
    const range = { keys: [77n], from: 0, before: now, isDescending: false, limit: 500 };
    const counts: number[] = [];
    for (let after: BlockPlace | undefined; ;) {
      const page = await blocks.range({ ...range, after });
      counts.push(page.count);
      after = page.last;
      if (!after) break;
    }
    expect(counts).toEqual([3, 2]);
    await forget(own);
  });
});

it('a stream with an infinite time does not hide the others', async () => {
  await under.superuser.query(
    `INSERT INTO audit.stream (stream_id, service, instance, started_at, key_wrapped, key_id, version)
     VALUES (gen_random_uuid(), 'auth', 'host', 'infinity', '', 'key', '1')`,
  );
  expect((await listStreams(pool, 1, 10)).map(({ started }) => started)).toEqual([
    'infinity',
    new Date(now - hour).toISOString(),
  ]);
});
