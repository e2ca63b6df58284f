import { type AuditFunction, auditFunctions, auditTriggers, settingsOf } from '../schema/functions';
import type { Finding } from './finding';
import type { LogDatabase } from './log-rows';

const isOfNoExtension = (catalog: string): string =>
  `NOT EXISTS (SELECT FROM pg_depend WHERE classid = '${catalog}'::regclass AND objid = ${catalog}.oid AND deptype = 'e')`;

/** What could hide rows of the log from its reader, or let a service write where it may not. */
const changesSql = `
WITH relation AS (SELECT oid, relname, relkind, relrowsecurity, relowner, relacl FROM pg_class WHERE relnamespace = 'audit'::regnamespace),
block AS (SELECT oid, relname FROM relation WHERE relname ~ '^block(_default|_[0-9]{4}_[0-9]{2})?$'),
function AS (SELECT * FROM jsonb_to_recordset($1) AS f(name name, body text, config text[])),
trigger AS (
  SELECT coalesce(block.oid, relation.oid) AS relation, coalesce(block.relname, relation.relname) AS relname, t.name, 'audit.' || calls AS calls
  FROM jsonb_to_recordset($2) AS t(name name, "table" name, calls text)
  LEFT JOIN block ON t."table" = 'block' LEFT JOIN relation ON relation.relname = t."table"
),
attribute AS (
  SELECT relname, attname, attnotnull, pg_get_expr(adbin, adrelid) AS value
  FROM relation JOIN pg_attribute ON attrelid = relation.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
)
SELECT 'row security of ' || relname AS object FROM relation WHERE relrowsecurity
UNION ALL SELECT 'policy ' || polname || ' of ' || relname FROM pg_policy JOIN relation ON relation.oid = polrelid
UNION ALL SELECT 'rule ' || rulename || ' of ' || relname FROM pg_rewrite JOIN relation ON relation.oid = ev_class
UNION ALL
SELECT 'trigger ' || tgname || ' of ' || relname FROM pg_trigger JOIN relation ON relation.oid = tgrelid
WHERE NOT EXISTS (SELECT FROM trigger t
  WHERE t.relation = tgrelid AND t.name = tgname AND tgenabled = 'O' AND tgfoid = to_regproc(calls))
UNION ALL
SELECT 'trigger ' || name || ' of ' || relname FROM trigger t
WHERE NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = t.relation AND tgname = t.name)
UNION ALL
SELECT 'function ' || coalesce(proname, name) FROM (SELECT * FROM pg_proc WHERE pronamespace = 'audit'::regnamespace) AS p
FULL JOIN function ON name = proname
WHERE prosrc IS DISTINCT FROM body OR NOT prosecdef OR proconfig IS DISTINCT FROM config
  OR proowner IS DISTINCT FROM (SELECT relowner FROM relation WHERE relname = 'block')
UNION ALL
SELECT 'column ' || attname || ' of ' || relname FROM attribute
WHERE attnotnull = (relname = 'verification' AND attname <> 'is_only')
  OR (attname = 'written_by' AND value IS DISTINCT FROM 'CURRENT_USER')
  OR (attname = 'written_at' AND value IS DISTINCT FROM 'clock_timestamp()')
UNION ALL
SELECT 'constraint ' || name || ' of ' || relname
FROM (VALUES ('block', 'block_is_well_formed'), ('block', 'block_is_bounded'), ('stream', 'stream_is_well_formed')) AS c(of_table, name)
  JOIN relation ON relname = of_table OR (of_table = 'block' AND relation.oid IN (SELECT oid FROM block))
WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = relation.oid AND conname = name AND contype = 'c')
UNION ALL
SELECT 'primary key of ' || relname FROM relation
WHERE relkind IN ('r', 'p') AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = relation.oid AND contype = 'p')
UNION ALL
SELECT DISTINCT 'privilege ' || privilege_type || ' on ' || relname FROM relation, aclexplode(relacl)
WHERE grantee <> relowner AND (grantee = 0 OR privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER'))
  AND NOT (grantee <> 0 AND relname = 'verification' AND privilege_type = 'UPDATE')
UNION ALL
SELECT 'search_path' WHERE (SELECT name FROM unnest(current_schemas(true)) WITH ORDINALITY AS path(name, place)
  WHERE name NOT LIKE 'pg\\_temp\\_%' ORDER BY place LIMIT 1) <> 'pg_catalog'
UNION ALL
SELECT 'function ' || proname || ' in ' || nspname FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace
WHERE nspname = ANY (current_schemas(true)) AND nspname NOT IN ('pg_catalog', 'audit') AND ${isOfNoExtension('pg_proc')}
UNION ALL
SELECT 'operator ' || oprname || ' in ' || nspname FROM pg_operator JOIN pg_namespace n ON n.oid = oprnamespace
WHERE nspname = ANY (current_schemas(true)) AND nspname <> 'pg_catalog' AND ${isOfNoExtension('pg_operator')}
ORDER BY 1`;

/**
 * Compares the policies, rules, triggers, functions, columns, constraints and privileges of the schema `audit` with
 * those that provisioning creates, and looks for functions and operators that give the statements of the reader another
 * meaning: an exact one in another schema of its `search_path` takes the place of a general one of PostgreSQL.
 * @returns a finding for each that differs
 */
export async function findSchemaChanges(database: LogDatabase): Promise<Finding[]> {
  const functions = Object.entries<AuditFunction>(auditFunctions).map(([name, expected]) => ({
    name,
    body: expected.body,
    config: settingsOf(expected),
  }));
  const triggers = Object.entries(auditTriggers).map(([name, trigger]) => ({ name, ...trigger }));
  const { rows } = await database.query<{ object: string }>(changesSql, [
    JSON.stringify(functions),
    JSON.stringify(triggers),
  ]);
  return rows.map(({ object }) => ({ problem: 'schema changed', object }));
}
