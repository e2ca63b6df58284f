import { auditFunctions, streamTrigger } from '../schema/functions';
import type { Finding } from './finding';
import type { LogDatabase } from './log-rows';

/** What could hide rows of the log from its reader, or let a service write where it may not. */
const changesSql = `
WITH relation AS (SELECT oid, relname, relrowsecurity FROM pg_class WHERE relnamespace = 'audit'::regnamespace),
expected AS (SELECT key AS name, value AS body FROM jsonb_each_text($1))
SELECT 'row security of ' || relname AS object FROM relation WHERE relrowsecurity
UNION ALL SELECT 'policy ' || polname || ' of ' || relname FROM pg_policy JOIN relation r ON r.oid = polrelid
UNION ALL SELECT 'rule ' || rulename || ' of ' || relname FROM pg_rewrite JOIN relation r ON r.oid = ev_class
UNION ALL
SELECT 'trigger ' || tgname || ' of ' || relname FROM pg_trigger JOIN relation r ON r.oid = tgrelid
WHERE NOT tgisinternal AND NOT (tgname = $2 AND tgenabled = 'O' AND tgfoid = to_regproc('audit.check_stream'))
UNION ALL
SELECT 'trigger ' || $2 || ' of ' || relname FROM relation r WHERE relname ~ '^block(_default|_[0-9]{4}_[0-9]{2})?$'
  AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = r.oid AND tgname = $2)
UNION ALL
SELECT 'function ' || coalesce(proname, name) FROM (SELECT * FROM pg_proc WHERE pronamespace = 'audit'::regnamespace) AS p
FULL JOIN expected ON name = proname WHERE prosrc IS DISTINCT FROM body
ORDER BY 1`;

/**
 * Compares the policies, rules, triggers and functions of the schema `audit` with those that provisioning creates.
 * @returns a finding for each that differs
 */
export async function findSchemaChanges(database: LogDatabase): Promise<Finding[]> {
  const bodies = Object.fromEntries(Object.entries(auditFunctions).map(([name, { body }]) => [name, body]));
  const { rows } = await database.query<{ object: string }>(changesSql, [JSON.stringify(bodies), streamTrigger]);
  return rows.map(({ object }) => ({ problem: 'schema changed', object }));
}
