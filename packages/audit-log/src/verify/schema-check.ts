import { type AuditFunction, auditFunctions, auditTriggers, functionPath } from '../schema/functions';
import type { Finding } from './finding';
import type { LogDatabase } from './log-rows';

/** What could hide rows of the log from its reader, or let a service write where it may not. */
const changesSql = `
WITH relation AS (SELECT oid, relname, relkind, relrowsecurity, relowner FROM pg_class WHERE relnamespace = 'audit'::regnamespace),
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
WHERE NOT tgisinternal AND NOT EXISTS (SELECT FROM trigger t
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
SELECT 'setting ' || split_part(setting, '=', 1) || ' of ' || coalesce('the role ' || rolname, 'all roles')
FROM pg_db_role_setting LEFT JOIN pg_roles ON pg_roles.oid = setrole, unnest(setconfig) AS setting
WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
  AND (setrole = 0 OR rolname = session_user) AND setting ~ '^(search_path=.*pg_catalog|session_preload_libraries=|local_preload_libraries=)'
ORDER BY 1`;

/**
 * Compares the policies, rules, triggers, functions and columns of the schema `audit` with those that provisioning
 * creates, and looks for settings that give the statements of the reader another meaning: PostgreSQL finds its own
 * functions and operators first unless `search_path` names `pg_catalog`.
 * @returns a finding for each that differs
 */
export async function findSchemaChanges(database: LogDatabase): Promise<Finding[]> {
  const functions = Object.entries<AuditFunction>(auditFunctions).map(([name, { body, settings = {} }]) => ({
    name,
    body,
    config: Object.entries({ search_path: functionPath, ...settings }).map(([setting, value]) => `${setting}=${value}`),
  }));
  const triggers = Object.entries(auditTriggers).map(([name, trigger]) => ({ name, ...trigger }));
  const { rows } = await database.query<{ object: string }>(changesSql, [
    JSON.stringify(functions),
    JSON.stringify(triggers),
  ]);
  return rows.map(({ object }) => ({ problem: 'schema changed', object }));
}
