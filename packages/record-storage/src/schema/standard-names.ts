import type { StatementRunner } from '@tributary/key-vault';

/** Columns: table (by its present name), earlier name, present name. */
const columns = [
  ['resource', 'kind', 'type_code'],
  ['resource', 'terms', 'blind_terms'],
  ['resource_history', 'kind', 'type_code'],
  ['block', 'kind', 'type_code'],
  ['block', 'lines', 'entry_count'],
  ['compaction_queue', 'kinds', 'type_codes'],
] as const;

/** Replacements in the names of partitions, indexes and constraints. */
const parts = [
  ['^version(?=_|$)', 'resource_history'],
  ['_kind(?=_)', '_type_code'],
  ['_terms(?=_not_null$)', '_blind_terms'],
  ['_lines(?=_not_null$)', '_entry_count'],
  ['_kinds(?=_not_null$)', '_type_codes'],
] as const;
const earlierParts = [
  ['^resource_history(?=_|$)', 'version'],
  ['_type_code(?=_)', '_kind'],
  ['_blind_terms(?=_not_null$)', '_terms'],
  ['_entry_count(?=_not_null$)', '_lines'],
  ['_type_codes(?=_not_null$)', '_kinds'],
] as const;

/** By their earlier and their present names. */
const tables = `'resource', 'version', 'resource_history', 'block', 'compaction_queue'`;

const replaced = (name: string, replacements: readonly (readonly [string, string])[]): string =>
  replacements.reduce((sql, [pattern, text]) => `regexp_replace(${sql}, '${pattern}', '${text}')`, name);

/**
 * Renames the partitions and indexes of the tables, and the NOT NULL constraints, which have names from PostgreSQL 18
 * on. A constraint that a partition inherits is renamed with that of its parent. Renaming changes the catalog alone.
 */
const renameDependents = (replacements: readonly (readonly [string, string])[]): string => `DO $$
  DECLARE
    found record;
  BEGIN
    FOR found IN
      WITH parents AS (
        SELECT oid FROM pg_class WHERE relnamespace = 'fhir_store'::regnamespace AND relname IN (${tables})
      ), tables AS (
        SELECT oid FROM parents UNION SELECT inhrelid FROM pg_inherits WHERE inhparent IN (SELECT oid FROM parents)
      ), relations AS (
        SELECT oid FROM tables UNION SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM tables)
      )
      SELECT relname AS name, ${replaced('relname', replacements)} AS new_name, CASE WHEN relkind IN ('i', 'I') THEN 'INDEX' ELSE 'TABLE' END AS what
      FROM pg_class WHERE oid IN (SELECT oid FROM relations)
    LOOP
      IF found.new_name <> found.name THEN
        EXECUTE format('ALTER %s fhir_store.%I RENAME TO %I', found.what, found.name, found.new_name);
      END IF;
    END LOOP;
    FOR found IN
      SELECT conrelid::regclass AS relation, conname AS name, ${replaced('conname', replacements)} AS new_name
      FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
      WHERE c.connamespace = 'fhir_store'::regnamespace AND c.contype = 'n' AND c.coninhcount = 0
        AND r.relname IN (${tables})
    LOOP
      IF found.new_name <> found.name THEN
        BEGIN
          EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', found.relation, found.name, found.new_name);
        EXCEPTION WHEN undefined_object THEN
          NULL; -- Partitions that were restored from a dump of PostgreSQL 17 or earlier have other names for it. Nothing refers to them.
        END;
      END IF;
    END LOOP;
  END $$`;

const up: readonly string[] = [
  'ALTER TABLE fhir_store.version RENAME TO resource_history',
  ...columns.map(([table, from, to]) => `ALTER TABLE fhir_store.${table} RENAME COLUMN ${from} TO ${to}`),
  renameDependents(parts),
];

const down: readonly string[] = [
  ...columns.map(([table, from, to]) => `ALTER TABLE fhir_store.${table} RENAME COLUMN ${to} TO ${from}`),
  'ALTER TABLE fhir_store.resource_history RENAME TO version',
  renameDependents(earlierParts),
];

/**
 * Gives tables and columns the names that the code uses: `version` becomes `resource_history`, `kind` becomes
 * `type_code`, `terms` becomes `blind_terms`, and `lines` becomes `entry_count`. The migration takes milliseconds,
 * whatever the size of the tables. Processes of the earlier release fail with the new names: they must have ended.
 */
export class StandardNames1763850000000 {
  readonly name = 'StandardNames1763850000000';

  async up(runner: StatementRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: StatementRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
