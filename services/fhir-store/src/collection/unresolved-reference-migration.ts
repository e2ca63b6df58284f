import type { MigrationClass, StatementRunner } from '@tributary/key-vault';

/**
 * The table of references of collected resources whose targets the record does not hold. `source` is a blind index and
 * `reference` is encrypted, so a dump does not disclose them. A `pending` reference is fetched by the collector and
 * resolved or reverted when the collection ends. A `reverted` reference has the text of the source in its resource
 * until its target is stored. Its row expires when its resource is no longer collected. remembered_at: when the
 * reference was last collected or reverted, epoch milliseconds. is_outdated: the target is stored, and is read again
 * because its referrer has changed.
 */
export function unresolvedReferenceMigration(partitions = 0): MigrationClass {
  return class UnresolvedReference1763700000001 {
    readonly name = 'UnresolvedReference1763700000001';

    async up(runner: StatementRunner): Promise<void> {
      await runner.query(`CREATE TABLE fhir_store.unresolved_reference (
        user_id bigint NOT NULL,
        source bigint NOT NULL,
        remembered_at bigint NOT NULL,
        referrer_id uuid NOT NULL,
        target_id uuid NOT NULL,
        referrer_type_code smallint NOT NULL,
        target_type_code smallint NOT NULL,
        pending boolean NOT NULL,
        reverted boolean NOT NULL,
        is_outdated boolean NOT NULL DEFAULT false,
        reference bytea NOT NULL,
        PRIMARY KEY (user_id, source, referrer_type_code, referrer_id, target_type_code, target_id)
      )${partitions > 0 ? ' PARTITION BY HASH (user_id)' : ''}`);
      for (let part = 0; part < partitions; part++) {
        await runner.query(
          `CREATE TABLE fhir_store.unresolved_reference_${part} PARTITION OF fhir_store.unresolved_reference FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part})`,
        );
      }
      // Each index is of one query: pending references of a source, references whose target has arrived, and references
      // that are too old.
      await runner.query(`CREATE INDEX unresolved_reference_pending ON fhir_store.unresolved_reference
        (user_id, source, referrer_type_code, referrer_id, target_type_code, target_id) WHERE pending`);
      await runner.query(`CREATE INDEX unresolved_reference_target ON fhir_store.unresolved_reference
        (user_id, source, target_type_code, target_id) WHERE NOT pending`);
      await runner.query(`CREATE INDEX unresolved_reference_remembered ON fhir_store.unresolved_reference
        (remembered_at) WHERE NOT pending`);
    }

    async down(runner: StatementRunner): Promise<void> {
      await runner.query('DROP TABLE fhir_store.unresolved_reference');
    }
  };
}
