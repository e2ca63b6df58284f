import type { MigrationClass, StatementRunner } from '@tributary/key-vault';

/**
 * References of collected resources whose targets the record does not hold. `source` is blinded and `reference` sealed, so that a dump
 * tells nothing of them. A pending one is asked for by the collector, and looked at when the collection ends; a restored one stands in its resource as the
 * source wrote it, until its target comes, and is forgotten when its resource has not been collected for long.
 */
export function unresolvedReferenceMigrations(partitions = 0): MigrationClass[] {
  class AwaitedReference1763710000000 {
    readonly name = 'AwaitedReference1763710000000';

    async up(runner: StatementRunner): Promise<void> {
      await runner.query(`CREATE TABLE fhir_store.awaited_reference (
        user_id bigint NOT NULL,
        source bigint NOT NULL,
        referrer_id uuid NOT NULL,
        target_id uuid NOT NULL,
        referrer_kind smallint NOT NULL,
        target_kind smallint NOT NULL,
        pending boolean NOT NULL,
        restored boolean NOT NULL,
        reference bytea NOT NULL,
        PRIMARY KEY (user_id, source, referrer_kind, referrer_id, target_kind, target_id)
      )${partitions > 0 ? ' PARTITION BY HASH (user_id)' : ''}`);
      for (let part = 0; part < partitions; part++) {
        await runner.query(
          `CREATE TABLE fhir_store.awaited_reference_${part} PARTITION OF fhir_store.awaited_reference FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part})`,
        );
      }
    }

    async down(runner: StatementRunner): Promise<void> {
      await runner.query('DROP TABLE fhir_store.awaited_reference');
    }
  }
  return [AwaitedReference1763710000000, AwaitedReferenceIndexes1763820000000];
}

/**
 * What is read of the references that a source awaits: the pending ones, those of which a target has come, and those that nothing has come for in a long time.
 * remembered_at: when the reference was last collected or its text restored, epoch milliseconds.
 */
class AwaitedReferenceIndexes1763820000000 {
  readonly name = 'AwaitedReferenceIndexes1763820000000';

  async up(runner: StatementRunner): Promise<void> {
    await runner.query(`DO $$ BEGIN
      EXECUTE format('ALTER TABLE fhir_store.awaited_reference ADD COLUMN remembered_at bigint NOT NULL DEFAULT %s',
        floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
    END $$`);
    await runner.query(`CREATE INDEX awaited_reference_pending
      ON fhir_store.awaited_reference (user_id, source, referrer_kind, referrer_id, target_kind, target_id) WHERE pending`);
    await runner.query(`CREATE INDEX awaited_reference_target
      ON fhir_store.awaited_reference (user_id, source, target_kind, target_id) WHERE NOT pending`);
    await runner.query(
      `CREATE INDEX awaited_reference_remembered ON fhir_store.awaited_reference (remembered_at) WHERE NOT pending`,
    );
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query(
      'DROP INDEX fhir_store.awaited_reference_pending, fhir_store.awaited_reference_target, fhir_store.awaited_reference_remembered',
    );
    await runner.query('ALTER TABLE fhir_store.awaited_reference DROP COLUMN remembered_at');
  }
}
