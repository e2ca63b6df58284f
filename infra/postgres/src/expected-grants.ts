import { type AuditFunction, auditFunctions, auditOwner, readerFunctions, settingsOf } from '@tributary/audit-log';
import { type Owner, databaseUsers, owners, roleOf } from './provision';
import type { DatabaseObject } from './read-grants';

/** The schemas, their owners, and who else may read them. */
const schemas: Readonly<Record<string, { owner: Owner; reader?: Owner }>> = {
  ...Object.fromEntries(owners.map((owner) => [roleOf(owner), { owner }])),
  fhir_store: { owner: 'fhir-store', reader: 'analytics-export' },
  fhir_store_keys: { owner: 'fhir-store', reader: 'analytics-export' },
};

/** Roles that create temporary tables. */
const withTemporaryTables: readonly Owner[] = ['search'];

/**
 * Functions that run with the privileges of their owner, and their settings: a fixed search_path, so that no other
 * schema replaces what they call.
 */
const definerFunctions: Readonly<Record<string, string>> = {
  'fhir_store.snapshot_time(lead integer)': 'search_path=pg_catalog, pg_temp',
  ...Object.fromEntries(
    Object.entries<AuditFunction>(auditFunctions).map(([name, each]) => [
      `audit.${name}()`,
      settingsOf(each).join(', '),
    ]),
  ),
};

/** The columns of the audit log that every service inserts, and cannot read. */
const writtenToAuditLog: Readonly<Record<string, readonly string[]>> = {
  stream: ['stream_id', 'service', 'instance', 'started_at', 'key_wrapped', 'key_id', 'version'],
  block: ['stream_id', 'sequence', 'started_at', 'events', 'keys', 'previous', 'content', 'hash'],
};

/** What audit-log reads. Other partitions of blocks than the default one are read through their parent. */
const readInAuditLog = ['stream', 'block', 'block_default', 'checkpoint', 'retirement', 'retention', 'verification'];

const calledByReader = new Set(readerFunctions.map((name) => `${name}()`));

/** No one may change or delete what the audit log has. */
function grantsOfAuditLog(objects: readonly DatabaseObject[]): string[] {
  const reader = roleOf('audit-log');
  const inserted = Object.entries(writtenToAuditLog).flatMap(([table, columns]) =>
    columns.map((column) => `has INSERT on column audit.${table}.${column}`),
  );
  return [
    `${auditOwner} owns schema audit`,
    ...databaseUsers.flatMap((user) =>
      ['has USAGE on schema audit', ...inserted].map((grant) => `${roleOf(user)} ${grant}`),
    ),
    ...readInAuditLog.map((table) => `${reader} has SELECT on table audit.${table}`),
    `${reader} has INSERT on table audit.checkpoint`,
    `${reader} has UPDATE on table audit.verification`,
    ...objects.flatMap(({ kind, schema, name }) =>
      schema === 'audit'
        ? [
            `${auditOwner} owns ${kind} audit.${name}`,
            ...(kind === 'function' && calledByReader.has(name)
              ? [`${reader} has EXECUTE on function audit.${name}`]
              : []),
          ]
        : [],
    ),
  ];
}

/**
 * Every grant that a provisioned database has, in the words of `readGrants`. PUBLIC has none.
 * @param objects the tables, sequences and functions that the database has
 */
export function expectedGrants(objects: readonly DatabaseObject[]): string[] {
  const ofRoles = databaseUsers.flatMap((user) => [
    `role ${roleOf(user)}: login`,
    `${roleOf(user)} has CONNECT on the database`,
  ]);
  const ofSchemas = Object.entries(schemas).flatMap(([schema, { owner, reader }]) => [
    `${roleOf(owner)} owns schema ${schema}`,
    ...(reader
      ? [
          `${roleOf(reader)} has USAGE on schema ${schema}`,
          `${roleOf(reader)} has SELECT on each table that ${roleOf(owner)} creates in ${schema}`,
          `${roleOf(reader)} has EXECUTE on each function that ${roleOf(owner)} creates in ${schema}`,
        ]
      : []),
  ]);
  const ofObjects = objects.flatMap(({ kind, schema, name }) => {
    const { owner, reader } = schemas[schema] ?? {};
    const settings = kind === 'function' ? definerFunctions[`${schema}.${name}`] : undefined;
    const privilege = { table: 'SELECT', function: 'EXECUTE', sequence: undefined }[kind];
    return [
      ...(owner ? [`${roleOf(owner)} owns ${kind} ${schema}.${name}`] : []),
      ...(settings ? [`function ${schema}.${name} runs with the privileges of its owner, ${settings}`] : []),
      ...(reader && privilege ? [`${roleOf(reader)} has ${privilege} on ${kind} ${schema}.${name}`] : []),
    ];
  });
  return [
    ...ofRoles,
    ...withTemporaryTables.map((owner) => `${roleOf(owner)} has TEMPORARY on the database`),
    // It sees in pg_stat_activity and pg_stat_replication how far a replica has come.
    'analytics_export is a member of pg_read_all_stats',
    'pg_database_owner owns schema public',
    ...ofSchemas,
    ...ofObjects,
    ...grantsOfAuditLog(objects),
  ];
}
