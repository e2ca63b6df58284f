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
 * The migration that creates the table of `ScopedKeys`.
 * @param timestamp 13 digits, as in the names of TypeORM's migrations: it orders the migration among those of the
 *   service
 */
export function scopedKeysMigration(timestamp: number, table = 'data_key'): MigrationClass {
  const safeTable = sqlName(table);
  return class {
    readonly name = `ScopedKeys${timestamp}`;

    async up(runner: StatementRunner): Promise<void> {
      await runner.query(`CREATE TABLE ${safeTable} (
        scope text PRIMARY KEY,
        wrapped bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    }

    async down(runner: StatementRunner): Promise<void> {
      await runner.query(`DROP TABLE ${safeTable}`);
    }
  };
}

/**
 * The migration that adds the version of the key-encryption key to each row, so that an index finds the keys to rewrap
 * after a rotation. The first `rewrapAll` fills the column of existing rows.
 * @param timestamp later than that of `scopedKeysMigration`
 */
export function scopedKeysKekMigration(timestamp: number, table = 'data_key'): MigrationClass {
  const safeTable = sqlName(table);
  const index = `${safeTable.split('.').at(-1)}_kek`;
  return class {
    readonly name = `ScopedKeysKek${timestamp}`;

    async up(runner: StatementRunner): Promise<void> {
      await runner.query(`ALTER TABLE ${safeTable} ADD COLUMN kek_id text COLLATE "C" NOT NULL DEFAULT ''`);
      await runner.query(`CREATE INDEX ${index} ON ${safeTable} (kek_id, scope)`);
    }

    async down(runner: StatementRunner): Promise<void> {
      await runner.query(`ALTER TABLE ${safeTable} DROP COLUMN kek_id`);
    }
  };
}

/**
 * The migration that creates the table of wrapping keys, which a key service wraps. The latest version that is not
 * retired wraps data keys.
 * @param timestamp 13 digits, as in the names of TypeORM's migrations
 */
export function wrappingKeyMigration(timestamp: number, table = 'wrapping_key'): MigrationClass {
  const safeTable = sqlName(table);
  return class {
    readonly name = `WrappingKeys${timestamp}`;

    async up(runner: StatementRunner): Promise<void> {
      await runner.query(`CREATE TABLE ${safeTable} (
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

    async down(runner: StatementRunner): Promise<void> {
      await runner.query(`DROP TABLE ${safeTable}`);
    }
  };
}
