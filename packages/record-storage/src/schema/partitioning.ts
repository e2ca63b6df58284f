import type { Client } from 'pg';
import { keySchema } from './key-schema';
import { setStorageParameters } from './storage-parameters';

/** What runs queries: a pool, a client, or one of its transactions. */
type Querying = Pick<Client, 'query'>;

/** The tables of the first migration that are partitioned by user. */
export const firstPartitionedTables: readonly string[] = [
  'fhir_store.record',
  'fhir_store.resource',
  'fhir_store.resource_history',
  'fhir_store.block',
  `${keySchema}.record_key`,
];

/** The tables of the storage that are partitioned by user, all into the same number of partitions. */
export const partitionedTables: readonly string[] = [...firstPartitionedTables, 'fhir_store.content_object'];

/**
 * The name of the partition of a table that has the rows whose hash of the user, modulo `modulus`, is `remainder`. The
 * meaning of a name never changes: the tables of another number of partitions have other names, and a name is given and
 * taken away in the transaction that moves the rows, under an ACCESS EXCLUSIVE lock. A statement that waited for this
 * lock looks the name up again, and fails with undefined_table (42P01) before it is executed.
 */
export function partitionName(table: string, modulus: number, remainder: number): string {
  return `${table}_${modulus}_${remainder}`;
}

/** Statements that create the partitions of a table, which has none. */
export function createPartitions(table: string, partitions: number): string[] {
  return Array.from(
    { length: partitions },
    (_, part) =>
      `CREATE TABLE ${partitionName(table, partitions, part)} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part})`,
  );
}

/** How many hash partitions the tables of records have; 0 when they are not partitioned. */
export async function countPartitions(database: Querying): Promise<number> {
  const sql = `SELECT count(*)::integer AS n FROM pg_inherits WHERE inhparent = 'fhir_store.resource'::regclass`;
  const { rows } = await database.query<{ n: number }>(sql);
  return rows[0]?.n ?? 0;
}

/**
 * Moves all records into another number of hash partitions by user, 0 for unpartitioned tables, in one transaction. It
 * blocks readers and writers until it ends, and changes nothing when it is interrupted. It needs as much free disk
 * space as the tables use.
 * @param others further tables with a column user_id that are partitioned as these are, with their schemas
 * @throws RangeError when the tables have that number already
 */
export async function partitionRecords(
  client: Client,
  partitions: number,
  others: readonly string[] = [],
): Promise<void> {
  await client.query('BEGIN');
  try {
    // It reads whole tables, so the limits and planner settings of ordinary sessions do not fit.
    await client.query(
      'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
    );
    await client.query(`SET LOCAL enable_seqscan = on; SET LOCAL maintenance_work_mem = '256MB'`);
    const tables = [...partitionedTables, ...others];
    await client.query(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    if ((await countPartitions(client)) === partitions)
      throw new RangeError(`the tables have ${partitions} partitions already`);
    for (const table of tables) await rebuild(client, table, partitions);
    for (const statement of setStorageParameters) await client.query(statement);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  for (const table of partitionedTables) await client.query(`ANALYZE ${table}`);
}

/** Rebuilds a table with its columns, rows, constraints, indexes and privileges in another number of partitions. */
async function rebuild(client: Client, table: string, partitions: number): Promise<void> {
  const [schema, name] = table.split('.') as [string, string];
  const definitions = await definitionsOf(client, table);
  const old = `${name}_before`;
  await client.query(`ALTER TABLE ${table} RENAME TO ${old}`);
  for (const partition of definitions.partitions)
    await client.query(`ALTER TABLE ${partition} RENAME TO ${partition.split('.').at(-1)}_before`);

  const columns = `LIKE ${schema}.${old} INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION INCLUDING GENERATED INCLUDING COMMENTS`;
  await client.query(`CREATE TABLE ${table} (${columns}) ${partitions > 0 ? 'PARTITION BY HASH (user_id)' : ''}`);
  for (const statement of createPartitions(table, partitions)) await client.query(statement);
  const leaves =
    partitions > 0 ? Array.from({ length: partitions }, (_, part) => partitionName(table, partitions, part)) : [table];
  if (definitions.settings !== '')
    for (const leaf of leaves) await client.query(`ALTER TABLE ${leaf} SET (${definitions.settings})`);
  await client.query(`INSERT INTO ${table} SELECT * FROM ${schema}.${old}`);
  // The new indexes take the names of the old ones, so the old table is dropped first.
  await client.query(`DROP TABLE ${schema}.${old}`);
  for (const statement of definitions.statements) await client.query(statement);
}

/**
 * The partitions of a table, their storage parameters, and the statements that create its constraints, indexes and
 * privileges again.
 */
async function definitionsOf(
  client: Client,
  table: string,
): Promise<{ partitions: string[]; settings: string; statements: string[] }> {
  const rowsOf = async (sql: string): Promise<string[]> =>
    (await client.query<{ text: string }>(sql, [table])).rows.map(({ text }) => text);
  return {
    partitions: await rowsOf(`SELECT inhrelid::regclass::text AS text FROM pg_inherits WHERE inhparent = $1::regclass`),
    // All partitions have the same storage parameters.
    settings: (
      await rowsOf(`SELECT array_to_string(reloptions, ', ') AS text FROM pg_class
        WHERE reloptions IS NOT NULL AND (oid = $1::regclass OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = $1::regclass)) LIMIT 1`)
    ).join(),
    statements: [
      // NOT NULL constraints are created with the columns.
      ...(await rowsOf(`SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS text
        FROM pg_constraint WHERE conrelid = $1::regclass AND contype <> 'n' ORDER BY conname`)),
      ...(await rowsOf(`SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS text FROM pg_index i
        WHERE indrelid = $1::regclass AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid) ORDER BY indexrelid::regclass::text`)),
      ...(await rowsOf(`SELECT format('GRANT %s ON %s TO %s', a.privilege_type, c.oid::regclass, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END) AS text
        FROM pg_class c CROSS JOIN aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
        WHERE c.oid = $1::regclass AND a.grantee <> c.relowner ORDER BY 1`)),
    ],
  };
}
