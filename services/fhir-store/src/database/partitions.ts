import { countPartitions, partitionRecords } from '@tributary/record-storage';
import { type ConnectionConfig, openClient } from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/**
 * Logs a warning when the number of partitions differs from RECORD_PARTITIONS. The setting is applied to a new
 * installation only.
 */
export async function reportPartitions(pool: Pool, wanted: number, log: Logger): Promise<void> {
  const partitions = await countPartitions(pool);
  if (partitions === wanted) return;
  log.warn(
    { partitions, record_partitions: wanted },
    `the tables have ${partitions} partitions, and RECORD_PARTITIONS is ${wanted}: they stay as they are until \`npm run admin -- storage partition ${wanted}\``,
  );
}

/**
 * Changes the number of partitions of all tables that are partitioned by user.
 * @throws RangeError when the number is the same
 */
export async function partitionFhirStore(server: ConnectionConfig, partitions: number): Promise<void> {
  const client = await openClient(server, { application_name: 'fhir_store partitioning' });
  try {
    await partitionRecords(client, partitions, ['fhir_store.unresolved_reference']);
  } finally {
    await client.end();
  }
}
