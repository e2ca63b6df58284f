import { type ClientBase, escapeIdentifier } from 'pg';
import { functionStatements, readerFunctions } from './functions';
import { auditSchemaSteps } from './schema-steps';

/** The roles of the audit log. */
export interface AuditRoles {
  /** Those that record events: they insert blocks, and can neither read nor change them. */
  writers: readonly string[];
  /** The one that reads blocks and writes checkpoints. */
  reader: string;
}

/** How long the audit log is kept in production at least, in days: six years (45 CFR 164.316(b)(2)(i)). */
export const sixYearsInDays = 6 * 366;

/** Owns the tables. No one can log in as it, so no service can change or delete a row. */
export const auditOwner = 'audit_owner';

/** The columns that writers fill. PostgreSQL fills the others: who has written the row, and when. */
const writtenColumns = {
  stream: ['stream_id', 'service', 'instance', 'started_at', 'key_wrapped', 'key_id', 'version'],
  block: ['stream_id', 'sequence', 'started_at', 'events', 'keys', 'previous', 'content', 'hash'],
};

/**
 * Creates the schema `audit`, or brings an older one up to date, and grants its roles what they need. Other privileges
 * of these roles are revoked. It belongs to the provisioning of the database and not to the migrations of a service,
 * because the services must not own the tables.
 * @param client connected as a role that may create roles and schemas; not in a transaction
 * @param retentionDays how long blocks are kept before their partition is dropped
 */
export async function createAuditSchema(
  client: ClientBase,
  { writers, reader }: AuditRoles,
  retentionDays = sixYearsInDays,
): Promise<void> {
  await createOwner(client);
  await client.query('BEGIN');
  try {
    // Two that run at once create it one after the other.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('tributary audit schema'))`);
    await client.query(`CREATE SCHEMA IF NOT EXISTS audit AUTHORIZATION ${auditOwner}; SET LOCAL ROLE ${auditOwner}`);
    await runNewSteps(client);
    for (const statement of functionStatements()) await client.query(statement);
    await client.query(grants(writers, reader).join(';\n'));
    await client.query(
      'INSERT INTO audit.retention (days) VALUES ($1) ON CONFLICT (is_only) DO UPDATE SET days = excluded.days',
      [retentionDays],
    );
    await client.query('SELECT audit.create_partitions()');
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** Roles are of the whole server, so another database can create it at the same time. */
async function createOwner(client: ClientBase): Promise<void> {
  await client.query(`DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${auditOwner}') THEN
      CREATE ROLE ${auditOwner} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
    END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$`);
  // A superuser may take every role. Others, as on managed servers, must be members.
  await client.query(`DO $$ BEGIN
    IF NOT pg_has_role(current_user, '${auditOwner}', 'MEMBER') THEN EXECUTE format('GRANT ${auditOwner} TO %I', current_user); END IF;
  END $$`);
}

async function runNewSteps(client: ClientBase): Promise<void> {
  await client.query('CREATE TABLE IF NOT EXISTS audit.schema_version (version integer PRIMARY KEY)');
  const { rows } = await client.query<{ version: number | null }>(
    'SELECT max(version) AS version FROM audit.schema_version',
  );
  const done = rows[0]?.version ?? 0;
  for (const [index, statements] of auditSchemaSteps.entries()) {
    if (index < done) continue;
    for (const statement of statements) await client.query(statement);
    await client.query('INSERT INTO audit.schema_version VALUES ($1)', [index + 1]);
  }
}

function grants(writers: readonly string[], reader: string): string[] {
  const roles = [...writers, reader].map(escapeIdentifier).join(', ');
  const writing = writers.map(escapeIdentifier).join(', ');
  const reading = escapeIdentifier(reader);
  return [
    'REVOKE ALL ON SCHEMA audit FROM PUBLIC',
    'REVOKE ALL ON ALL FUNCTIONS IN SCHEMA audit FROM PUBLIC',
    `REVOKE ALL ON ALL TABLES IN SCHEMA audit FROM ${roles}`,
    `REVOKE ALL ON ALL FUNCTIONS IN SCHEMA audit FROM ${roles}`,
    `GRANT USAGE ON SCHEMA audit TO ${roles}`,
    ...Object.entries(writtenColumns).map(
      ([table, columns]) => `GRANT INSERT (${columns.join(', ')}) ON audit.${table} TO ${writing}`,
    ),
    `GRANT SELECT ON audit.stream, audit.block, audit.block_default, audit.checkpoint, audit.retirement, audit.retention, audit.verification TO ${reading}`,
    `GRANT INSERT ON audit.checkpoint TO ${reading}`,
    `GRANT UPDATE ON audit.verification TO ${reading}`,
    ...readerFunctions.map((name) => `GRANT EXECUTE ON FUNCTION audit.${name}() TO ${reading}`),
  ];
}
