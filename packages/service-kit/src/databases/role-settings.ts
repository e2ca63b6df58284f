import { escapeIdentifier, escapeLiteral } from 'pg';

/** What runs a statement and gives its rows. */
export type RunStatement = (sql: string, values?: unknown[]) => Promise<unknown>;

/**
 * Stores settings of sessions as those of the current role in the current database, where they differ. Each connection that is opened from now on
 * has them, so they hold also behind a connection pooler, for which startup parameters are no way.
 */
export async function storeRoleSettings(run: RunStatement, settings: Readonly<Record<string, string>>): Promise<void> {
  const rows = (await run(`
    SELECT current_database() AS name, coalesce((
      SELECT setconfig FROM pg_db_role_setting WHERE setdatabase = d.oid AND setrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)), '{}') AS stored
    FROM pg_database AS d WHERE datname = current_database()`)) as { name: string; stored: string[] }[];
  const [{ name, stored } = { name: '', stored: [] }] = rows;
  for (const [setting, value] of Object.entries(settings)) {
    if (stored.includes(`${setting}=${value}`)) continue;
    // search_path is a list of identifiers, which are not quoted as one text.
    const literal = setting === 'search_path' ? value : escapeLiteral(value);
    await run(`ALTER ROLE CURRENT_USER IN DATABASE ${escapeIdentifier(name)} SET ${setting} = ${literal}`);
  }
}

/** @throws Error when connections do not see the schema first: a pooler may still hold one that was opened before its role had the setting */
export async function assertSchemaIsFirst(run: RunStatement, schema: string): Promise<void> {
  const [row] = (await run('SELECT current_schema() AS first')) as { first: string | null }[];
  if (row?.first === schema) return;
  throw new Error(
    `the connections of the pooler do not have ${schema} as the first schema of their search_path: name the role like the schema, or close the connections of the pooler (RECONNECT)`,
  );
}
