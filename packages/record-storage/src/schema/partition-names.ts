import type { StatementRunner } from '@tributary/key-vault';
import { keySchema } from './key-schema';

/**
 * The name of the partition of a table that has the rows whose hash of the user, modulo `modulus`, is `remainder`. The
 * meaning of a name never changes: the tables of another number of partitions have other names, and a name is given and
 * taken away in the transaction that moves the rows, under an ACCESS EXCLUSIVE lock. A statement that waited for this
 * lock looks the name up again, and fails with undefined_table (42P01) before it is executed.
 */
export function partitionName(table: string, modulus: number, remainder: number): string {
  return `${table}_${modulus}_${remainder}`;
}

/** Renames the partitions. Their locks are taken in the order in which `partitionRecords` takes them. */
const rename = (name: string): string => `DO $$
  DECLARE
    partition_name record;
  BEGIN
    LOCK TABLE fhir_store.record, fhir_store.resource, fhir_store.resource_history, fhir_store.block, ${keySchema}.record_key
      IN ACCESS EXCLUSIVE MODE;
    FOR partition_name IN
      SELECT c.oid::regclass AS old, p.relname AS parent, substring(bound FROM 'modulus ([0-9]+)') AS modulus,
        substring(bound FROM 'remainder ([0-9]+)') AS remainder
      FROM pg_inherits i JOIN pg_class c ON c.oid = inhrelid JOIN pg_class p ON p.oid = inhparent
      CROSS JOIN LATERAL pg_get_expr(c.relpartbound, c.oid) bound
      WHERE inhparent IN ('fhir_store.record'::regclass, 'fhir_store.resource'::regclass, 'fhir_store.resource_history'::regclass,
        'fhir_store.block'::regclass, '${keySchema}.record_key'::regclass)
    LOOP
      EXECUTE format('ALTER TABLE %s RENAME TO %I', partition_name.old, ${name});
    END LOOP;
  END $$`;

/** Names the partitions of the records by `partitionName`. They were named by their remainder alone. */
export class PartitionNames1763940000000 {
  readonly name = 'PartitionNames1763940000000';

  async up(runner: StatementRunner): Promise<void> {
    await runner.query(
      rename(`concat_ws('_', partition_name.parent, partition_name.modulus, partition_name.remainder)`),
    );
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query(rename(`concat_ws('_', partition_name.parent, partition_name.remainder)`));
  }
}
