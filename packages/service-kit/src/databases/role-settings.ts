import { escapeIdentifier, escapeLiteral } from 'pg';

/** Runs a statement and returns its rows. */
export type RunStatement = (sql: string, values?: unknown[]) => Promise<unknown>;

/**
 * Stores session settings on the current role in the current database where they differ. They apply to every connection
 * that is opened afterwards, also by a connection pooler, which does not accept startup parameters.
 */
export async function storeRoleSettings(run: RunStatement, settings: Readonly<Record<string, string>>): Promise<void> {
  const rows = (await run(`
    SELECT current_database() AS name, coalesce((
      SELECT setconfig FROM pg_db_role_setting WHERE setdatabase = d.oid AND setrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)), '{}') AS stored
    FROM pg_database AS d WHERE datname = current_database()`)) as { name: string; stored: string[] }[];
  const [{ name, stored } = { name: '', stored: [] }] = rows;
  for (const [setting, value] of Object.entries(settings)) {
    if (stored.includes(`${setting}=${value}`)) continue;
    // search_path is a list of identifiers and must not be quoted as one literal.
    const literal = setting === 'search_path' ? value : escapeLiteral(value);
    await run(`ALTER ROLE CURRENT_USER IN DATABASE ${escapeIdentifier(name)} SET ${setting} = ${literal}`);
  }
}

/**
 * @throws Error when the schema is not the first of the search_path, as on pooled connections that were opened before
 * the setting was stored on the role
 */
export async function assertSchemaIsFirst(run: RunStatement, schema: string): Promise<void> {
  const [row] = (await run('SELECT current_schema() AS first')) as { first: string | null }[];
  if (row?.first === schema) return;
  throw new Error(
    `the connections of the pooler do not have ${schema} as the first schema of their search_path: name the role like the schema, or close the connections of the pooler (RECONNECT)`,
  );
}
