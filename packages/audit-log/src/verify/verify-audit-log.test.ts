import { generateKeyPairSync } from 'node:crypto';
import { AuditDatabase, roleOf } from '../../test/audit-database';
import { expectedHash } from '../block/block';
import { type Checkpoint, CheckpointKey } from '../checkpoint/checkpoint';
import type { NewAuditEvent } from '../event/audit-event';
import type { AuditWriter } from '../write/audit-writer';
import { maxContentBytes, maxKeys } from '../block/block-limits';
import type { Finding } from './finding';
import { type LogDatabase, readBlocks } from './log-rows';
import { type Anchor, type VerifyOptions, verifyAuditLog } from './verify-audit-log';

const [oldKey, newKey] = [newCheckpointKey(), newCheckpointKey()];
let database: AuditDatabase;
/** `ended`: a stream that has ended. `open`: one whose last blocks no checkpoint has signed. */
let [ended, open]: AuditWriter[] = [];
let checkpoints: Checkpoint[] = [];

function newCheckpointKey(): CheckpointKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return new CheckpointKey(privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'));
}

function read(subject: number): NewAuditEvent {
  return { kind: 'fhir.read', action: 'R', outcome: 'success', agent: { clientId: 'app' }, subject };
}

/** Records events in a block each. */
async function record(writer: AuditWriter | undefined, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) await writer?.record(read(n));
}

beforeAll(async () => {
  database = await AuditDatabase.create();
  ended = await database.open();
  await record(ended, 6);
  await ended.close();
  open = await database.open();
  await record(open, 3);
  checkpoints = [await database.checkpoint(oldKey)];
  await record(open, 3);
  checkpoints.push(await database.checkpoint(oldKey), await database.checkpoint(newKey));
  await record(open, 2);
});
afterAll(async () => {
  await open?.close();
  await database.drop();
});
// Each test takes back what it has changed.
beforeEach(() => database.superuser.query('BEGIN'));
afterEach(() => database.superuser.query('ROLLBACK'));

async function verify(options: Partial<VerifyOptions> = {}): Promise<{ findings: Finding[]; blocks: number }> {
  const findings: Finding[] = [];
  const counts = await verifyAuditLog({
    database: database.superuser,
    checkpointKeys: [newKey.publicKey],
    opener: database.opener,
    roleOf: () => roleOf(database.writer),
    onFinding: (finding) => findings.push(finding),
    ...options,
  });
  expect(counts.findings).toBe(findings.length);
  return { findings, blocks: counts.blocks };
}

async function* anchors(): AsyncGenerator<Checkpoint> {
  yield* checkpoints;
}

/** SQL of a change by a superuser; $1 and $2 are the ended and the open stream. */
async function tamper(sql: string): Promise<void> {
  const at = (stream: AuditWriter | undefined) => `'${stream?.streamId}'`;
  await database.superuser.query(sql.replaceAll('$1', at(ended)).replaceAll('$2', at(open)));
}

async function problems(options: Partial<VerifyOptions> = {}): Promise<string[]> {
  return [...new Set((await verify(options)).findings.map(({ problem }) => problem))].sort();
}

it('finds nothing in a log as it was written, with and without its keys', async () => {
  const { rows } = await database.superuser.query<{ count: number }>('SELECT count(*)::int FROM audit.block');
  expect(await verify({ anchors: anchors() })).toEqual({ findings: [], blocks: rows[0]?.count });
  expect((await verify({ opener: undefined })).findings).toEqual([]);
  expect((await verify({ from: Date.now() - 1000 })).findings).toEqual([]);
});

const flip = (column: string): string => `${column} = set_byte(${column}, 0, get_byte(${column}, 0) # 1)`;
const third = 'WHERE stream_id = $1 AND sequence = 3';

it.each([
  [
    'the stream of a block',
    `UPDATE audit.block SET stream_id = gen_random_uuid() ${third}`,
    ['block changed', 'block missing', 'stream missing'],
    false,
  ],
  [
    'the sequence of a block',
    `UPDATE audit.block SET sequence = 99 ${third}`,
    ['block changed', 'block missing'],
    false,
  ],
  [
    'the start of a block',
    `UPDATE audit.block SET started_at = started_at + interval '1 ms' ${third}`,
    ['block changed'],
    false,
  ],
  ['the number of events', `UPDATE audit.block SET events = events + 1 ${third}`, ['block changed'], false],
  ['the keys of a block', `UPDATE audit.block SET keys = '{7}' ${third}`, ['block changed'], false],
  [
    'the hash of the block before',
    `UPDATE audit.block SET ${flip('previous')} ${third}`,
    ['block changed', 'block not chained'],
    false,
  ],
  ['the content of a block', `UPDATE audit.block SET ${flip('content')} ${third}`, ['block changed'], false],
  [
    'the hash of a block',
    `UPDATE audit.block SET ${flip('hash')} ${third}`,
    ['block changed', 'block not chained'],
    false,
  ],
  ['the role of a block', `UPDATE audit.block SET written_by = 'search' ${third}`, ['block of another role'], false],
  ['the first block', `DELETE FROM audit.block WHERE stream_id = $1 AND sequence = 0`, ['block missing'], false],
  ['a block in the middle', `DELETE FROM audit.block ${third}`, ['block missing'], false],
  [
    'the last signed block',
    `DELETE FROM audit.block WHERE stream_id = $1 AND sequence = (SELECT max(sequence) FROM audit.block WHERE stream_id = $1)`,
    ['signed block missing'],
    false,
  ],
  [
    'all blocks of a stream',
    `DELETE FROM audit.block WHERE stream_id = $1; DELETE FROM audit.stream WHERE stream_id = $1`,
    ['signed block missing'],
    false,
  ],
  ['the row of a stream', `DELETE FROM audit.stream WHERE stream_id = $1`, ['stream missing'], false],
  [
    'the role of a stream',
    `UPDATE audit.stream SET written_by = 'search' WHERE stream_id = $1`,
    ['stream changed'],
    false,
  ],
  [
    'the service of a stream',
    `UPDATE audit.stream SET service = 'search' WHERE stream_id = $1`,
    ['stream changed'],
    true,
  ],
  [
    'the key of a stream',
    `UPDATE audit.stream SET ${flip('key_wrapped')} WHERE stream_id = $1`,
    ['stream changed'],
    true,
  ],
  [
    'two blocks that changed places',
    `UPDATE audit.block SET sequence = 1000 + sequence WHERE stream_id = $1 AND sequence IN (2, 3);
    UPDATE audit.block SET sequence = 1005 - sequence WHERE stream_id = $1 AND sequence >= 1000`,
    ['block changed', 'block not chained'],
    false,
  ],
  [
    'a copy of a block',
    `INSERT INTO audit.block SELECT stream_id, sequence, started_at + interval '1 ms', events, keys, previous, content, hash, written_by FROM audit.block ${third}`,
    ['block changed', 'block twice'],
    false,
  ],
  [
    'a block in the stream of another role',
    `ALTER TABLE audit.block DISABLE TRIGGER block_of_own_stream;
    INSERT INTO audit.block SELECT $2, (SELECT max(sequence) + 1 FROM audit.block WHERE stream_id = $2), started_at, events, keys, previous, content, hash, 'search' FROM audit.block ${third}`,
    ['block changed', 'block not chained', 'block of another role', 'schema changed'],
    false,
  ],
  [
    'the start of a block within its millisecond',
    `ALTER TABLE audit.block DROP CONSTRAINT block_is_bounded;
    UPDATE audit.block SET started_at = started_at + interval '400 us' ${third}`,
    ['block changed', 'schema changed'],
    false,
  ],
  ['the oldest checkpoint', 'DELETE FROM audit.checkpoint WHERE number = 1', ['checkpoint missing'], false],
  ['a checkpoint in the middle', 'DELETE FROM audit.checkpoint WHERE number = 2', ['checkpoint missing'], false],
  [
    'the heads of a checkpoint',
    `UPDATE audit.checkpoint SET heads = '' WHERE number = 2`,
    ['checkpoint changed'],
    false,
  ],
  [
    'the time of a checkpoint',
    `UPDATE audit.checkpoint SET at = at - interval '1 day' WHERE number = 2`,
    ['checkpoint changed'],
    false,
  ],
  [
    'the hash of a checkpoint',
    `UPDATE audit.checkpoint SET ${flip('hash')} WHERE number = 2`,
    ['checkpoint changed', 'checkpoint not chained', 'checkpoint not signed'],
    false,
  ],
  [
    'the signature of a checkpoint',
    `UPDATE audit.checkpoint SET ${flip('signature')} WHERE number = 2`,
    ['checkpoint not signed'],
    false,
  ],
  [
    'the key of a checkpoint',
    `UPDATE audit.checkpoint SET key_id = 'other' WHERE number = 2`,
    ['checkpoint not signed'],
    false,
  ],
  [
    'a partition',
    `DO $$ BEGIN EXECUTE (SELECT 'DROP TABLE audit.block_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')); END $$`,
    ['signed block missing'],
    false,
  ],
  [
    'a retirement whose heads cannot be read',
    `INSERT INTO audit.retirement VALUES ('block_2020_01', '2020-01-01', '2020-02-01', 1, '\\xabcd')`,
    ['retirement not signed'],
    false,
  ],
  [
    'a retirement that was never signed',
    `INSERT INTO audit.retirement VALUES ('block_2020_01', '2020-01-01', '2020-02-01', 1, '')`,
    ['retirement not signed'],
    false,
  ],
])('finds a change of %s', async (_what, sql, expected, needsContents) => {
  await tamper(sql);
  const found = await problems(needsContents ? {} : { opener: undefined });
  expect(found).toEqual([...expected].sort());
});

it('finds blocks that were chained again without the key of their stream', async () => {
  await tamper(
    `DELETE FROM audit.block ${third}; UPDATE audit.block SET sequence = sequence - 1 WHERE stream_id = $1 AND sequence > 3`,
  );
  let previous = (await database.blocks(ended!.streamId))[2]!.hash;
  for (const block of (await database.blocks(ended!.streamId)).slice(3)) {
    const hash = expectedHash({ ...block, previous });
    await database.superuser.query(
      'UPDATE audit.block SET previous = $1, hash = $2 WHERE stream_id = $3 AND sequence = $4',
      [previous, hash, block.streamId, block.sequence],
    );
    previous = hash;
  }
  // The chain is whole, and the last block is another one than the one that was signed.
  expect(await problems({ opener: undefined })).toEqual(['signed block missing']);
  expect(await problems()).toEqual(['block not opened', 'signed block missing']);
});

it('finds the truncation of blocks and checkpoints together only with the anchors', async () => {
  await tamper(`DELETE FROM audit.checkpoint WHERE number > 1;
    DELETE FROM audit.block WHERE stream_id = $2 AND sequence > 3`);
  const only = { checkpointKeys: [oldKey.publicKey] };
  expect(await problems(only)).toEqual([]);
  const { findings } = await verify({ ...only, anchors: anchors() });
  expect(findings).toEqual([
    { problem: 'anchored checkpoint missing', checkpoint: 2 },
    { problem: 'anchored checkpoint missing', checkpoint: 3 },
  ]);
});

it('finds a checkpoint that was signed again', async () => {
  await tamper('DELETE FROM audit.checkpoint WHERE number > 1');
  await database.checkpoint(oldKey);
  const { findings } = await verify({ checkpointKeys: [oldKey.publicKey], anchors: anchors() });
  expect(findings).toMatchObject([
    { problem: 'anchored checkpoint changed', checkpoint: 2 },
    { problem: 'anchored checkpoint missing', checkpoint: 3 },
  ]);
});

it('says where a problem is, and since when', async () => {
  const [, second] = await database.blocks(ended!.streamId);
  await tamper('DELETE FROM audit.block WHERE stream_id = $1 AND sequence IN (2, 3)');
  expect((await verify()).findings).toEqual([
    { problem: 'block missing', streamId: ended!.streamId, sequence: 2, at: second?.startedAt },
  ]);
});

it('does not accept the checkpoints of another key', async () => {
  expect(await problems({ checkpointKeys: [newCheckpointKey().publicKey] })).toEqual(['checkpoint not signed']);
});

it('accepts blocks of a later month that a clock which was set back has left before those that were dropped', async () => {
  const { streamId } = ended!;
  const [, one, two] = await database.blocks(streamId);
  const heads = Buffer.alloc(56);
  heads.write(streamId.replaceAll('-', ''), 'hex');
  heads.writeBigInt64BE(2n, 16);
  two!.hash.copy(heads, 24);
  await tamper(`DELETE FROM audit.block WHERE stream_id = $1 AND sequence IN (0, 2)`);
  expect(await problems({ opener: undefined })).toContain('block missing');
  await database.superuser.query(
    `INSERT INTO audit.retirement VALUES ('block_2020_01', '2020-01-01Z', '2020-02-01Z', 2, $1)`,
    [heads],
  );
  const { findings } = await verify({ opener: undefined });
  expect(findings.filter((finding) => finding.streamId === streamId)).toEqual([]);
  expect(one?.sequence).toBe(1);
  // A change of the rest is found all the same.
  await tamper(`UPDATE audit.block SET events = events + 1 WHERE stream_id = $1 AND sequence = 1`);
  expect(await problems({ opener: undefined })).toContain('block changed');
});

it('accepts what was dropped after its retention, once that is signed', async () => {
  await tamper(`UPDATE audit.retention SET days = 1; UPDATE audit.stream SET started_at = '2020-01-01' WHERE stream_id = $1;
    SET LOCAL ROLE audit_owner;
    CREATE TABLE audit.block_2020_01 PARTITION OF audit.block FOR VALUES FROM ('2020-01-01Z') TO ('2020-02-01Z');
    RESET ROLE`);
  // The beginning of a stream is that old.
  const [first, ...rest] = await database.blocks(ended!.streamId);
  await database.superuser.query('DELETE FROM audit.checkpoint');
  await database.superuser.query(
    'UPDATE audit.block SET started_at = $1, written_at = $1 WHERE stream_id = $2 AND sequence = 0',
    ['2020-01-15Z', first?.streamId],
  );
  await database.superuser.query('SELECT audit.drop_expired()');
  expect((await database.blocks(ended!.streamId)).length).toBe(rest.length);
  expect(await problems()).toEqual(['retirement not signed']);
  await database.checkpoint(newKey);
  expect(await problems()).toEqual([]);
});

describe('what hides blocks or lets a service insert them anywhere', () => {
  it.each([
    ['a policy', `CREATE POLICY hide ON audit.block FOR SELECT USING (sequence < 3)`, ['policy hide of block']],
    [
      'row security',
      `CREATE POLICY hide ON audit.stream USING (false); ALTER TABLE audit.stream ENABLE ROW LEVEL SECURITY`,
      ['policy hide of stream', 'row security of stream'],
    ],
    ['a rule', `CREATE RULE lose AS ON INSERT TO audit.checkpoint DO INSTEAD NOTHING`, ['rule lose of checkpoint']],
    [
      'another trigger',
      `CREATE FUNCTION public.lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER lose BEFORE INSERT ON audit.stream FOR EACH ROW EXECUTE FUNCTION public.lose()`,
      ['function lose in public', 'trigger lose of stream'],
    ],
    [
      'the trigger with another function',
      `CREATE FUNCTION public.take() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
      DROP TRIGGER block_of_own_stream ON audit.block;
      CREATE TRIGGER block_of_own_stream BEFORE INSERT ON audit.block_default FOR EACH ROW EXECUTE FUNCTION public.take()`,
      expect.arrayContaining(['trigger block_of_own_stream of block', 'trigger block_of_own_stream of block_default']),
    ],
    [
      'a changed function',
      `CREATE OR REPLACE FUNCTION audit.clean_pending() RETURNS void LANGUAGE sql AS ''`,
      ['function clean_pending'],
    ],
    [
      'a function with other privileges and settings',
      `ALTER FUNCTION audit.check_stream() SECURITY INVOKER; ALTER FUNCTION audit.drop_expired() SET search_path = public;
      ALTER FUNCTION audit.clean_pending() OWNER TO current_user`,
      ['function check_stream', 'function clean_pending', 'function drop_expired'],
    ],
    [
      'a trigger that does not run',
      'ALTER TABLE audit.stream DISABLE TRIGGER stream_within_rate',
      ['trigger stream_within_rate of stream'],
    ],
    [
      'a column that can be NULL, or that a service does not fill',
      `ALTER TABLE audit.checkpoint ALTER hash DROP NOT NULL; ALTER TABLE audit.stream ALTER written_by SET DEFAULT 'auth';
      ALTER TABLE audit.block_default ALTER written_at SET DEFAULT '2020-01-01'`,
      ['column hash of checkpoint', 'column written_at of block_default', 'column written_by of stream'],
    ],
    ['another order of the schemas', 'SET LOCAL search_path = public, pg_catalog', ['search_path']],
    [
      'an operator that an exact call prefers, and a function',
      `CREATE FUNCTION public.without(keys bigint[], wanted bigint[]) RETURNS boolean LANGUAGE sql AS
         'SELECT keys OPERATOR(pg_catalog.@>) wanted AND NOT 77 = ANY (keys)';
      CREATE OPERATOR public.@> (LEFTARG = bigint[], RIGHTARG = bigint[], FUNCTION = public.without)`,
      ['function without in public', 'operator @> in public'],
    ],
    [
      'a trigger that says it is an internal one',
      `CREATE FUNCTION audit_lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER lose BEFORE INSERT ON audit.checkpoint FOR EACH ROW EXECUTE FUNCTION audit_lose();
      UPDATE pg_trigger SET tgisinternal = true WHERE tgname = 'lose'`,
      expect.arrayContaining(['trigger lose of checkpoint']),
    ],
    [
      'constraints and a primary key that are missing',
      `ALTER TABLE audit.stream DROP CONSTRAINT stream_is_well_formed; ALTER TABLE audit.checkpoint DROP CONSTRAINT checkpoint_pkey`,
      ['constraint stream_is_well_formed of stream', 'primary key of checkpoint'],
    ],
    [
      'privileges that nobody may have',
      `GRANT DELETE ON audit.block TO PUBLIC; GRANT SELECT ON audit.stream TO PUBLIC; GRANT UPDATE ON audit.verification TO PUBLIC`,
      ['privilege DELETE on block', 'privilege SELECT on stream', 'privilege UPDATE on verification'],
    ],
    [
      'a function more and one less',
      `CREATE FUNCTION audit.more() RETURNS void LANGUAGE sql AS ''; DROP FUNCTION audit.clean_pending`,
      ['function clean_pending', 'function more'],
    ],
  ])('is found: %s', async (_what, sql, expected) => {
    await tamper(sql);
    const { findings } = await verify();
    expect(findings.every(({ problem }) => problem === 'schema changed')).toBe(true);
    expect(findings.map(({ object }) => object)).toEqual(expected);
  });
});

describe('a row that no process writes', () => {
  it.each([
    ['NULL among its keys', `UPDATE audit.block SET keys = '{5,NULL}'`],
    ['keys of two dimensions', `UPDATE audit.block SET keys = '{{1},{2}}'`],
    ['a negative number of events', 'UPDATE audit.block SET events = -1'],
    ['a short hash', `UPDATE audit.block SET hash = '\\x00'`],
    ['a short previous hash', `UPDATE audit.block SET previous = '\\x00'`],
    ['more content than a reader takes', `UPDATE audit.block SET content = decode(repeat('00', 16777217), 'hex')`],
    ['more keys than its events can have', `UPDATE audit.block SET keys = array_fill(7::bigint, ARRAY[12289])`],
    ['a long hash', `UPDATE audit.block SET hash = decode(repeat('00', 1000), 'hex')`],
    ['an infinite time', `UPDATE audit.block SET started_at = 'infinity'`],
    ['a time before all times', `UPDATE audit.block SET started_at = '-infinity'`],
    ['a number that JavaScript does not have', 'UPDATE audit.block SET sequence = 9223372036854775807'],
    ...['events', 'keys', 'previous', 'content', 'hash'].map((column): [string, string] => [
      `NULL as ${column}`,
      `ALTER TABLE audit.block ALTER ${column} DROP NOT NULL; UPDATE audit.block SET ${column} = NULL`,
    ]),
  ])('is found: %s', async (_what, sql) => {
    await tamper(
      `ALTER TABLE audit.block DROP CONSTRAINT block_is_well_formed, DROP CONSTRAINT block_is_bounded; ${sql} WHERE stream_id = $2 AND sequence = 1`,
    );
    const { findings } = await verify();
    expect(findings).toContainEqual(expect.objectContaining({ problem: 'block changed', streamId: open?.streamId }));
    // What is larger than a block does not reach this process.
    for await (const { content, keys, hash } of readBlocks(database.superuser, -Infinity))
      expect(content.length <= maxContentBytes && keys.length <= maxKeys && hash.length <= 33).toBe(true);
    expect((await verify({ opener: undefined })).findings.length).toBeGreaterThan(0);
  });
});

it('compares anchors, of which there is one a minute, with a thousand checkpoints at once', async () => {
  const [first, second] = checkpoints;
  async function* many(): AsyncGenerator<Anchor> {
    for (let line = 0; line < 2100; line++) yield first!;
    yield { number: 2, hash: first!.hash };
    yield { number: Number.MAX_SAFE_INTEGER, hash: second!.hash };
  }
  let statements = 0;
  const counted: LogDatabase = {
    query: (text, values) => {
      statements++;
      return database.superuser.query(text, values);
    },
  };
  await verify({ database: counted });
  const without = statements;
  statements = 0;
  expect((await verify({ database: counted, anchors: many() })).findings).toEqual([
    { problem: 'anchored checkpoint changed', checkpoint: 2 },
    { problem: 'anchored checkpoint missing', checkpoint: Number.MAX_SAFE_INTEGER },
  ]);
  expect(statements - without).toBe(3);
});

describe('a row of a checkpoint that no process writes', () => {
  it.each([
    ['an infinite time', `at = 'infinity'`],
    ['a time before all times', `at = '-infinity'`],
    ['a time beyond that of dates', `at = '200000-01-01'`],
    ['no time', 'at = NULL'],
    ['the largest number', 'number = 9223372036854775807'],
    ['a number below 0', 'number = -9223372036854775808'],
    ['no hash', 'hash = NULL'],
    ['no previous hash', 'previous = NULL'],
    ['no content', 'heads = NULL'],
    ['no signature', 'signature = NULL'],
    ['no key', 'key_id = NULL'],
    ['a long key', `key_id = repeat('x', 1000000)`],
    ['a large content', `heads = decode(repeat('00', 5000000), 'hex')`],
    ['a large signature', `signature = decode(repeat('00', 5000000), 'hex')`],
  ])('is found: %s', async (_what, change) => {
    const columns = ['at', 'previous', 'heads', 'hash', 'signature', 'key_id'];
    await tamper(`ALTER TABLE audit.checkpoint ${columns.map((column) => `ALTER ${column} DROP NOT NULL`).join(', ')};
      UPDATE audit.checkpoint SET ${change} WHERE number = 2`);
    const { findings } = await verify({ anchors: anchors() });
    expect(findings.map(({ problem }) => problem)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^checkpoint (changed|not signed)$/)]),
    );
  });
});

it.each([
  ['an infinite end', `'2020-01-01', 'infinity', 1, ''`],
  ['infinite times', `'-infinity', '-infinity', 1, ''`],
  ['more blocks than an integer has', `'2020-01-01', '2020-02-01', 3000000000, ''`],
  ['more blocks than JavaScript counts', `'2020-01-01', '2020-02-01', 9223372036854775807, ''`],
  ['more heads than are read', `'2020-01-01', '2020-02-01', 1, decode(repeat('00', 17000000), 'hex')`],
])('finds a retirement with %s', async (_what, values) => {
  await tamper(`INSERT INTO audit.retirement VALUES ('block_2020_01', ${values})`);
  expect((await verify()).findings).toEqual([
    expect.objectContaining({ problem: 'retirement not signed', partition: 'block_2020_01' }),
  ]);
});

it.each(['service', 'instance', 'key_wrapped', 'key_id', 'written_by'])(
  'finds that the %s of a stream is NULL',
  async (column) => {
    await tamper(`ALTER TABLE audit.stream ALTER ${column} DROP NOT NULL; UPDATE audit.stream SET ${column} = NULL`);
    const { findings } = await verify();
    expect(findings).toContainEqual({ problem: 'schema changed', object: `column ${column} of stream` });
  },
);

it('finds that no checkpoint was made for days, while there are blocks', async () => {
  await tamper(`ALTER TABLE audit.checkpoint DISABLE TRIGGER ALL;
    UPDATE audit.checkpoint SET at = at - interval '4 days';
    UPDATE audit.block SET written_at = now() - interval '3 days'`);
  const { findings } = await verify();
  expect(findings).toContainEqual({ problem: 'checkpoint missing', checkpoint: 4 });
});

it('reads blocks that are too large for one page, each once', async () => {
  const streamId = (await database.open()).streamId;
  await tamper(`ALTER TABLE audit.block DISABLE TRIGGER block_of_own_stream;
    INSERT INTO audit.block SELECT '${streamId}', number, started_at, 1, '{}', previous, decode(repeat('00', 9000000), 'hex'), hash, 'auth'
    FROM audit.block, generate_series(0, 2) AS number ${third}`);
  const { findings } = await verify({ opener: undefined });
  const found = findings.filter((finding) => finding.streamId === streamId && finding.problem === 'block changed');
  expect(found.map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
});

it('finds that no checkpoint was made for days, whatever times somebody has inserted', async () => {
  await tamper(`UPDATE audit.block SET written_at = now() - interval '3 days'; DELETE FROM audit.checkpoint;
    INSERT INTO audit.checkpoint VALUES (1, 'infinity', '', '', '', '', '')`);
  expect((await verify()).findings).toContainEqual({ problem: 'checkpoint missing', checkpoint: 2 });
});

it('finds that all checkpoints are missing, also without anchors', async () => {
  await tamper(`DELETE FROM audit.checkpoint`);
  expect(await problems()).toEqual([]);
  await tamper(`UPDATE audit.block SET written_at = now() - interval '3 days'`);
  expect(await problems()).toEqual(['checkpoint missing']);
});
