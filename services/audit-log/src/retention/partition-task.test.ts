import { setTimeout as pause } from 'node:timers/promises';
import { createAuditSchema } from '@tributary/audit-log';
import { Pool } from 'pg';
import { type Logger, pino } from 'pino';
import { AuditLogUnderTest } from '../../test/audit-log-under-test';
import { startPartitions } from './partition-task';

let under: AuditLogUnderTest;
let pool: Pool;
const lines: { msg: string; partition?: string }[] = [];
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

it('makes the partitions of the next months, drops expired ones, and warns of blocks outside of them', async () => {
  const expected = (await partitions()).filter((name) => name !== 'block_default');
  const role = new URL(under.reader.url).username;
  await createAuditSchema(under.superuser, { writers: [role], reader: role }, 365);
  await under.superuser.query(`SET ROLE audit_owner;
    CREATE TABLE audit.block_2001_11 PARTITION OF audit.block FOR VALUES FROM ('2001-11-01Z') TO ('2001-12-01Z');
    DROP TABLE audit.${expected.at(-1)};
    RESET ROLE`);
  await (
    await under.stream()
  ).add(Date.UTC(2099, 0, 1), [{ kind: 'fhir.read', action: 'R', outcome: 'success', agent: { clientId: 'app' } }]);
  const task = startPartitions(pool, log);
  for (let attempts = 0; attempts < 3000 && lines.length < 2; attempts++) await pause(10);
  await task.stop();
  expect(await partitions()).toEqual([...expected, 'block_default']);
  expect(lines.map(({ msg, partition }) => [msg, partition])).toEqual([
    ['a partition of the audit log was dropped after its retention', 'block_2001_11'],
    [expect.stringMatching(/^audit\.block_default has blocks/), undefined],
  ]);
});
