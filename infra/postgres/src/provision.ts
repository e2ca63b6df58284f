import { setTimeout as pause } from 'node:timers/promises';
import { createAuditSchema } from '@tributary/audit-log';
import { linesOf } from '@tributary/contracts';
import { type ConnectionConfig, openClient } from '@tributary/service-kit';
import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { scramVerifier } from './scram-verifier';

/** The services that keep data, and with it the schemas of the database. */
export const owners = [
  'auth',
  'user-management',
  'search',
  'fhir-store',
  'analytics-export',
  'ingestion-worker',
  'console',
] as const;
export type Owner = (typeof owners)[number];

/** The services that use the database. audit-log has no schema of its own: it reads the audit log of all services. */
export const databaseUsers = [...owners, 'audit-log'] as const;
export type DatabaseUser = (typeof databaseUsers)[number];

export const databaseName = 'tributary';

/** The PostgreSQL role of a service, and the schema that it owns. */
export function roleOf(user: DatabaseUser): string {
  return user.replaceAll('-', '_');
}

/**
 * The schema of the keys that open the records of fhir-store: apart from them, so that its backups can expire sooner.
 */
const recordKeySchema = 'fhir_store_keys';

/** The URL with which a service reaches the database, without the password. */
export function databaseUrl(user: DatabaseUser, server: { host: string; port: number }): string {
  return `postgres://${roleOf(user)}@${server.host}:${server.port}/${databaseName}`;
}

/**
 * A PostgreSQL server, with a role that may create roles and databases. With `DATABASE_CA_FILE` the connection is
 * encrypted and the server verified, whatever sslmode the URL has.
 */
export type SuperuserServer = ConnectionConfig;

export interface ProvisionOptions {
  /** How long the audit log is kept; six years by default. */
  auditRetentionDays?: number | undefined;
}

const retryForMs = 60_000;
const retryAfterMs = 500;

/**
 * Provisions a server that may still be starting: tries again for a minute while PostgreSQL refuses or ends
 * connections.
 * @throws Error of the last attempt; at once, when PostgreSQL answers and refuses a statement or the credentials
 */
export async function provisionWhenReachable(
  server: SuperuserServer,
  passwords: Record<DatabaseUser, string>,
  options: ProvisionOptions = {},
): Promise<void> {
  for (const deadline = Date.now() + retryForMs; ; await pause(retryAfterMs)) {
    try {
      return await provision(server, passwords, options);
    } catch (error) {
      if (!isTransient(error) || Date.now() > deadline) throw error;
    }
  }
}

/**
 * Whether a connection could not be made or broke: PostgreSQL gave no SQLSTATE, or one of the classes for connections
 * and shutdown.
 */
function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  const isSqlState = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E');
  return !isSqlState || /^(08|53|57P)/.test(code);
}

/**
 * Creates the database, a role for each service, and the schema that only this role can touch; run again, it changes
 * what differs. fhir-store owns a second schema, for keys. analytics-export may read what fhir-store owns, and nothing
 * more. PUBLIC may do nothing, and only search, which loads files, creates temporary tables. All services insert into
 * the audit log, and audit-log reads it. Of several passwords of the superuser, the last one is set.
 */
export async function provision(
  server: SuperuserServer,
  passwords: Record<DatabaseUser, string>,
  { auditRetentionDays }: ProvisionOptions = {},
): Promise<void> {
  await withClient(server, async (client) => {
    // One password alone may be managed elsewhere.
    const [, ...appended] = server.DATABASE_PASSWORD?.accepted ?? [];
    const newest = appended.at(-1);
    if (newest !== undefined) await client.query(`alter role current_user password ${verifierOf(newest)}`);
    for (const user of databaseUsers) await provisionRole(client, roleOf(user), passwords[user]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName]);
    if (!rowCount) await client.query(`create database ${databaseName}`);
  });
  await withClient(ofDatabase(server), async (client) => {
    await client.query('begin');
    await client.query(`revoke all on database ${databaseName} from public; revoke all on schema public from public`);
    for (const user of databaseUsers)
      await client.query(`
        grant connect on database ${databaseName} to ${escapeIdentifier(roleOf(user))};
        alter default privileges for role ${escapeIdentifier(roleOf(user))} revoke execute on functions from public`);
    for (const owner of owners) {
      const role = escapeIdentifier(roleOf(owner));
      await client.query(`
        ${owner === 'search' ? 'grant' : 'revoke'} temporary on database ${databaseName} ${owner === 'search' ? 'to' : 'from'} ${role};
        create schema if not exists ${role} authorization ${role};
        set role ${role};
        revoke execute on all functions in schema ${role} from public;
        reset role`);
    }
    await client.query(`
      create schema if not exists ${recordKeySchema} authorization fhir_store;
      grant usage on schema fhir_store, ${recordKeySchema} to analytics_export;
      grant select on all tables in schema fhir_store, ${recordKeySchema} to analytics_export;
      grant execute on all functions in schema fhir_store, ${recordKeySchema} to analytics_export;
      grant pg_read_all_stats to analytics_export;
      set role fhir_store;
      alter default privileges in schema fhir_store, ${recordKeySchema} grant select on tables to analytics_export;
      alter default privileges in schema fhir_store, ${recordKeySchema} grant execute on functions to analytics_export;
      reset role`);
    await client.query('commit');
    await createAuditSchema(
      client,
      { writers: databaseUsers.map(roleOf), reader: roleOf('audit-log') },
      auditRetentionDays,
    );
  });
}

/** While a password is replaced, services have both; the role gets the one that was appended. */
function newestOf(password: string): string {
  const newest = linesOf(password).at(-1);
  if (newest === undefined) throw new Error('the password of a role has no value');
  return newest;
}

async function provisionRole(client: Client, role: string, password: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
  await client.query(
    `${rowCount ? 'alter' : 'create'} role ${escapeIdentifier(role)} login nosuperuser nocreatedb nocreaterole password ${verifierOf(newestOf(password))}`,
  );
}

/** Of a password, as a literal. */
function verifierOf(password: string): string {
  return escapeLiteral(scramVerifier(password));
}

/** The same server, with the database of the suite. */
export function ofDatabase(server: SuperuserServer): SuperuserServer {
  const url = Object.assign(new URL(server.DATABASE_URL), { pathname: `/${databaseName}` });
  return { ...server, DATABASE_URL: url.href };
}

async function withClient(server: SuperuserServer, work: (client: Client) => Promise<void>): Promise<void> {
  const client = await openClient(server, {});
  // The statement in progress fails when the connection is lost; without a listener the event would end the process.
  client.on('error', () => undefined);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
