import { type MigrationClass, type StatementRunner, wrappingKeyMigration } from '@tributary/key-vault';
import { BinaryIds1763860000000 } from './binary-ids';
import { ClaimedIds1763830000000 } from './claimed-ids';
import { Compaction1763800000000 } from './compaction-tables';
import { IndexVersion1763730000000 } from './index-version-columns';
import { HealthSystems1763910000000 } from './health-systems-column';
import { keySchema, moveKeys, wrappingKeyTable } from './key-schema';
import { SnapshotTime1763820000000 } from './snapshot-time';
import { PartitionNames1763940000000 } from './partition-names';
import { partitionedTables } from './partitioning';
import { setStorageParameters } from './storage-parameters';
import { StandardNames1763850000000 } from './standard-names';
import { createSnapshotTime, createTables, firstPartitionedTables } from './tables';

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
      for (const statement of createTables(partitions > 0 ? 'PARTITION BY HASH (user_id)' : ''))
        await runner.query(statement);
      for (const statement of createPartitions(partitions)) await runner.query(statement);
      await runner.query(createSnapshotTime);
    }

    async down(runner: StatementRunner): Promise<void> {
      await runner.query('DROP FUNCTION fhir_store.snapshot_time()');
      for (const table of [...firstPartitionedTables, 'client_key'])
        await runner.query(`DROP TABLE fhir_store.${table}`);
    }
  }

  class RecordKeySchema1763720000000 {
    readonly name = 'RecordKeySchema1763720000000';

    async up(runner: StatementRunner): Promise<void> {
      for (const statement of moveKeys) await runner.query(statement);
    }

    down(): Promise<void> {
      return Promise.reject(new Error('this migration cannot be reverted: keys stay in fhir_store_keys'));
    }
  }
  return [
    RecordStorage1763700000000,
    RecordKeySchema1763720000000,
    IndexVersion1763730000000,
    Compaction1763800000000,
    StorageParameters1763810000000,
    SnapshotTime1763820000000,
    ClaimedIds1763830000000,
    StandardNames1763850000000,
    BinaryIds1763860000000,
    HealthSystems1763910000000,
    wrappingKeyMigration(1763920000000, wrappingKeyTable),
    PartitionNames1763940000000,
  ];
}

class StorageParameters1763810000000 {
  readonly name = 'StorageParameters1763810000000';

  async up(runner: StatementRunner): Promise<void> {
    for (const statement of setStorageParameters({ history: 'version', terms: 'terms' })) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

function createPartitions(partitions: number): string[] {
  const statements: string[] = [];
  for (const table of firstPartitionedTables) {
    for (let part = 0; part < partitions; part++) {
      statements.push(
        `CREATE TABLE fhir_store.${table}_${part} PARTITION OF fhir_store.${table} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part})`,
      );
      if (table === 'block')
        statements.push(`ALTER TABLE fhir_store.block_${part} ALTER COLUMN content SET STORAGE EXTERNAL`);
    }
  }
  return statements;
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
