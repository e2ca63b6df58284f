import { sqlName } from './scoped-keys';

/** The part of TypeORM's `QueryRunner` that the migrations use, so that this package does not depend on TypeORM. */
export interface StatementRunner {
  query(sql: string): Promise<unknown>;
}

/** A migration class for TypeORM. */
export type MigrationClass = new () => {
  readonly name: string;
  up(runner: StatementRunner): Promise<void>;
  down(runner: StatementRunner): Promise<void>;
};

/**
 * Creates the table of `ScopedKeys`, in the migration of a service. By `kek_id`, the version of the key-encryption key,
 * an index finds the keys to rewrap after a rotation.
 */
export async function createScopedKeys(runner: StatementRunner, table = 'data_key'): Promise<void> {
  const safeTable = sqlName(table);
  const index = `${safeTable.split('.').at(-1)}_kek`;
  await runner.query(`CREATE TABLE ${safeTable} (
    scope text PRIMARY KEY,
    wrapped bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    kek_id text COLLATE "C" NOT NULL DEFAULT ''
  )`);
  await runner.query(`CREATE INDEX ${index} ON ${safeTable} (kek_id, scope)`);
}

/**
 * Creates the table of wrapping keys, which a key service wraps, in the migration of a service. The latest version that
 * is not retired wraps data keys.
 */
export async function createWrappingKeys(runner: StatementRunner, table = 'wrapping_key'): Promise<void> {
  await runner.query(`CREATE TABLE ${sqlName(table)} (
    key_id text PRIMARY KEY,
    version integer NOT NULL UNIQUE,
    wrapped bytea,
    provider text NOT NULL,
    provider_key text NOT NULL,
    provider_version text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz,
    CONSTRAINT wrapped_until_retired CHECK ((wrapped IS NULL) = (retired_at IS NOT NULL))
  )`);
}
