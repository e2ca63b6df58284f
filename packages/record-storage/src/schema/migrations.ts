import { type MigrationClass, type StatementRunner, createWrappingKeys } from '@tributary/key-vault';
import { keySchema, wrappingKeyTable } from './key-schema';
import { createPartitions, firstPartitionedTables, partitionedTables } from './partitioning';
import { createSnapshotTime } from './snapshot-time';
import { setStorageParameters } from './storage-parameters';
import { createContentObjects, createIndexes, createOtherTables, createRecordTables, createSchemas } from './tables';

export interface SchemaOptions {
  /**
   * The number of hash partitions of each table, by user, in a new installation. Default 0: unpartitioned tables.
   * `partitionRecords` changes it later.
   */
  readonly partitions?: number;
}

/**
 * The migrations of the record storage, for TypeORM's list; they create the schemas `fhir_store` and `fhir_store_keys`.
 */
export function recordStorageMigrations({ partitions = 0 }: SchemaOptions = {}): MigrationClass[] {
  class RecordStorage1763700000000 {
    readonly name = 'RecordStorage1763700000000';

    async up(runner: StatementRunner): Promise<void> {
      for (const statement of [
        ...createSchemas,
        ...createRecordTables(partitions > 0 ? 'PARTITION BY HASH (user_id)' : ''),
        ...firstPartitionedTables.flatMap((table) => createPartitions(table, partitions)),
        ...createIndexes,
        ...setStorageParameters,
        ...createOtherTables,
        ...createSnapshotTime,
      ])
        await runner.query(statement);
      await createWrappingKeys(runner, wrappingKeyTable);
    }

    async down(runner: StatementRunner): Promise<void> {
      await runner.query('DROP FUNCTION fhir_store.snapshot_time(integer)');
      await runner.query('DROP SEQUENCE fhir_store.snapshot_floor');
      const others = ['fhir_store.claimed_id', 'fhir_store.compaction_queue', 'fhir_store.compaction_cursor'];
      const tables = [...firstPartitionedTables, ...others, `${keySchema}.client_key`, wrappingKeyTable];
      await runner.query(`DROP TABLE ${tables.join(', ')}`);
    }
  }
  class ContentObjects1764500000000 {
    readonly name = 'ContentObjects1764500000000';

    async up(runner: StatementRunner): Promise<void> {
      for (const statement of createContentObjects) await runner.query(statement);
    }

    async down(runner: StatementRunner): Promise<void> {
      await runner.query('DROP TABLE fhir_store.content_object');
    }
  }
  return [RecordStorage1763700000000, ContentObjects1764500000000];
}

/**
 * Grants a role, such as that of analytics-export, read access to the storage. To be run as the owner. Idempotent;
 * several processes may run it concurrently.
 */
export async function grantReadAccess(runner: StatementRunner, role: string): Promise<void> {
  const quoted = `"${role.replaceAll('"', '""')}"`;
  const tables = [...partitionedTables, `${keySchema}.client_key`, wrappingKeyTable];
  // Concurrent grants on one table fail. Statements that are sent in one query message are one transaction, which holds
  // the lock.
  await runner.query(`
    SELECT pg_advisory_xact_lock(hashtextextended('fhir_store grants', 0));
    GRANT USAGE ON SCHEMA fhir_store, ${keySchema} TO ${quoted};
    GRANT SELECT ON ${tables.join(', ')} TO ${quoted};
    GRANT SELECT ON SEQUENCE fhir_store.snapshot_floor TO ${quoted};
    GRANT EXECUTE ON FUNCTION fhir_store.snapshot_time(integer) TO ${quoted}`);
}
