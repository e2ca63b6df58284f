import { type Owner, owners, roleOf } from './provision';
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
  'fhir_store.snapshot_time()': 'search_path=pg_catalog, pg_temp',
  'fhir_store.snapshot_time(lead integer)': 'search_path=pg_catalog, pg_temp',
};

/**
 * Every grant that a provisioned database has, in the words of `readGrants`. PUBLIC has none.
 * @param objects the tables, sequences and functions that the database has
 */
export function expectedGrants(objects: readonly DatabaseObject[]): string[] {
  const ofRoles = owners.flatMap((owner) => [
    `role ${roleOf(owner)}: login`,
    `${roleOf(owner)} has CONNECT on the database`,
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
  ];
}
