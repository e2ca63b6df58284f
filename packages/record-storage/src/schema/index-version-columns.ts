import type { StatementRunner } from '@tributary/key-vault';

const up: readonly string[] = [
  `ALTER TABLE fhir_store.resource ADD COLUMN index_version smallint NOT NULL DEFAULT 1`,
  `ALTER TABLE fhir_store.record ADD COLUMN index_version smallint NOT NULL DEFAULT 1, ADD COLUMN reindex_leased_until bigint`,
  `CREATE INDEX record_index_version ON fhir_store.record (index_version, user_id) WHERE destroyed_at IS NULL`,
];

const down: readonly string[] = [
  `ALTER TABLE fhir_store.record DROP COLUMN index_version, DROP COLUMN reindex_leased_until`,
  `ALTER TABLE fhir_store.resource DROP COLUMN index_version`,
];

/**
 * The version of the index rules of each row, and the oldest one among the rows of a record; existing rows have version
 * 1. Adding the columns changes the catalog only and does not rewrite the tables. reindex_leased_until: the time (epoch
 * milliseconds) until which a process re-indexes the record, or no process tries it again after a failure.
 */
export class IndexVersion1763730000000 {
  readonly name = 'IndexVersion1763730000000';

  async up(runner: StatementRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: StatementRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
