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
 * Which index rules made a row, and the oldest ones among a record's rows: existing rows are of version 1. Adding the columns changes the catalog alone, whatever the
 * tables hold. reindex_leased_until: until when (epoch milliseconds) a process re-indexes the record, or nobody tries it again.
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
