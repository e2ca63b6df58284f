import { sqlName } from './scoped-keys';

/** What a TypeORM migration gets to run its statements with. */
export interface StatementRunner {
  query(sql: string): Promise<unknown>;
}

/** A class that TypeORM takes in its list of migrations. */
export type MigrationClass = new () => {
  readonly name: string;
  up(runner: StatementRunner): Promise<void>;
  down(runner: StatementRunner): Promise<void>;
}

/**
 * The migration that makes the table of `ScopedKeys`.
 * @param timestamp 13 digits, as in the names of TypeORM's migrations: its place among those of the service
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
