import type { MigrationClass, StatementRunner } from '@tributary/key-vault';

/**
 * References of collected resources whose targets the record does not hold. `source` is blinded and `reference` sealed, so that a dump
 * tells nothing of them. A pending one is asked for by the collector; a restored one stands in its resource as the source wrote it.
 */
export function awaitedReferenceMigrations(partitions = 0): MigrationClass[] {
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
        await runner.query(`CREATE TABLE fhir_store.awaited_reference_${part} PARTITION OF fhir_store.awaited_reference FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part})`);
      }
    }

    async down(runner: StatementRunner): Promise<void> {
      await runner.query('DROP TABLE fhir_store.awaited_reference');
    }
  }
  return [AwaitedReference1763710000000];
}
