import { createAuditSchema } from '@tributary/audit-log';
import { Pool } from 'pg';
import { type Logger, pino } from 'pino';
import { AuditLogUnderTest } from '../../test/audit-log-under-test';
import { startPartitions } from './partition-task';

let under: AuditLogUnderTest;
let pool: Pool;
const lines: { msg: string; partition?: string; roles?: string[] }[] = [];
const log: Logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as { msg: string }) });

beforeAll(async () => {
  under = await AuditLogUnderTest.start();
  await under.stopService();
  pool = new Pool({ connectionString: under.reader.url });
});
afterAll(async () => {
  await pool.end();
  await under.stop();
});

const partitions = async (): Promise<string[]> => {
  const { rows } = await under.superuser.query<{ name: string }>(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
     WHERE inhparent = 'audit.block'::regclass ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

const event = { kind: 'fhir.read', action: 'R', outcome: 'success', agent: { clientId: 'app' } } as const;

/** Runs the task once: it runs at its start, and its end waits for the run. */
const run = (): Promise<void> => startPartitions(pool, log).stop();

it('makes the partitions of the next months and of other blocks, warns of these, and drops expired ones', async () => {
  // Within the years that have partitions, and beyond them.
  const old = new Date().getUTCFullYear() - 9;
  const expected = (await partitions()).filter((name) => name !== 'block_default');
  const role = new URL(under.reader.url).username;
  await createAuditSchema(under.superuser, { writers: [role], reader: role }, 365);
  await under.superuser.query(`SET ROLE audit_owner;
    CREATE TABLE audit.block_${old}_11 PARTITION OF audit.block FOR VALUES FROM ('${old}-11-01Z') TO ('${old}-12-01Z');
    DROP TABLE audit.${expected.at(-1)};
    RESET ROLE`);
  const stream = await under.stream();
  const ahead = Date.parse(`${expected.at(-1)?.slice(6).replace('_', '-')}-15T00:00:00Z`);
  for (const at of [Date.UTC(old, 11, 31), ahead, Date.UTC(2099, 0, 1)]) await stream.add(at, [event]);
  await run();
  // The old block was written now, so its retention has not ended.
  expect(await partitions()).toEqual([`block_${old}_12`, ...expected, 'block_default']);
  const { rows } = await pool.query(
    'SELECT tableoid::regclass::text AS partition FROM audit.block ORDER BY started_at',
  );
  expect(rows.map(({ partition }: { partition: string }) => partition)).toEqual([
    `block_${old}_12`,
    expected.at(-1),
    'block_default',
  ]);
  expect(lines.splice(0).map(({ msg, partition }) => [msg, partition])).toEqual([
    [expect.stringMatching(/^audit\.block_default has blocks/), undefined],
    ['a partition of the audit log was dropped after its retention', `block_${old}_11`],
  ]);

  await under.superuser.query(
    `UPDATE audit.block_${old}_12 SET written_at = started_at; DELETE FROM audit.block_default`,
  );
  await run();
  expect(lines).toEqual([expect.objectContaining({ partition: `block_${old}_12` })]);
  expect(await partitions()).toEqual([...expected, 'block_default']);
});

it('names the roles whose open transactions keep it from making a partition', async () => {
  const stream = await under.stream();
  await stream.add(Date.UTC(new Date().getUTCFullYear() - 8, 5, 1), [event]);
  // A statement of a transaction holds a lock of its table until the transaction ends.
  await under.writer.query(
    `BEGIN; INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash)
     SELECT gen_random_uuid(), 0, now(), 0, '{}'::bigint[], ''::bytea, ''::bytea, ''::bytea WHERE false`,
  );
  await run();
  await under.writer.query('ROLLBACK');
  expect(lines).toContainEqual(
    expect.objectContaining({
      msg: 'no partition was made: transactions of these roles are open',
      roles: [(await under.writer.query<{ name: string }>('SELECT session_user::text AS name')).rows[0]?.name],
    }),
  );
});
