import type { StatementRunner } from '@tributary/key-vault';

const up: readonly string[] = [
  // The queue of records to compact; it contains recently written records only. kinds: the type codes that changed.
  // due_at: the earliest time of the next compaction; during a lease, the end of the lease. lease: the number of leases
  // so far. changed: whether the record changed since the last lease.
  `CREATE TABLE fhir_store.compaction_queue (
    user_id bigint NOT NULL,
    due_at bigint NOT NULL,
    lease bigint NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    changed boolean NOT NULL DEFAULT false,
    kinds smallint[] NOT NULL,
    PRIMARY KEY (user_id)
  )`,
  `CREATE INDEX compaction_queue_due ON fhir_store.compaction_queue (due_at)`,

  // The time (exclusive) up to which changes have been added to the queue.
  `CREATE TABLE fhir_store.compaction_cursor (stream text PRIMARY KEY, position bigint NOT NULL)`,
  `INSERT INTO fhir_store.compaction_cursor VALUES ('block', 0), ('deletion', 0)`,

  // Find the blocks written and the deletions since a time, over all records.
  `CREATE INDEX block_written ON fhir_store.block (written_at)`,
  `CREATE INDEX version_deleted_at ON fhir_store.version (last_updated) WHERE deleted`,
  // Counts the superseded entries of a block.
  `CREATE INDEX version_of_block ON fhir_store.version (user_id, kind, block_id) WHERE block_id IS NOT NULL`,
];

const down: readonly string[] = [
  'DROP TABLE fhir_store.compaction_queue, fhir_store.compaction_cursor',
  'DROP INDEX fhir_store.block_written, fhir_store.version_deleted_at, fhir_store.version_of_block',
];

/**
 * The queue of compaction and its indexes. Every existing record enters the queue once. Creating the indexes blocks
 * writes for as long as it takes.
 */
export class Compaction1763800000000 {
  readonly name = 'Compaction1763800000000';

  async up(runner: StatementRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: StatementRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
