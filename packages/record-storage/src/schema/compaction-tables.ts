import type { StatementRunner } from '@tributary/key-vault';

const up: readonly string[] = [
  // Records to be compacted. kinds: those that changed. due_at: not before; while one is leased, the end of the lease.
  // lease: counts the leases. changed: since the last lease. It holds recently written records only.
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

  // Up to which time (exclusive) changes have been put into the queue.
  `CREATE TABLE fhir_store.compaction_cursor (stream text PRIMARY KEY, position bigint NOT NULL)`,
  `INSERT INTO fhir_store.compaction_cursor VALUES ('block', 0), ('deletion', 0)`,

  // What was written or deleted since a time, over all records.
  `CREATE INDEX block_written ON fhir_store.block (written_at)`,
  `CREATE INDEX version_deleted_at ON fhir_store.version (last_updated) WHERE deleted`,
  // How many lines of a block are superseded.
  `CREATE INDEX version_of_block ON fhir_store.version (user_id, kind, block_id) WHERE block_id IS NOT NULL`,
];

const down: readonly string[] = [
  'DROP TABLE fhir_store.compaction_queue, fhir_store.compaction_cursor',
  'DROP INDEX fhir_store.block_written, fhir_store.version_deleted_at, fhir_store.version_of_block',
];

/** What compaction finds its work by. Existing records are all looked at once. Creating the indexes stops writes meanwhile. */
export class Compaction1763800000000 {
  readonly name = 'Compaction1763800000000';

  async up(runner: StatementRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: StatementRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
