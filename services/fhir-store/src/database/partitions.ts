import { countPartitions, partitionRecords } from '@tributary/record-storage';
import { Client, type Pool } from 'pg';
import type { Logger } from 'pino';

/** Says when the tables have another number of partitions than the setting, which only a new installation follows. */
export async function reportPartitions(pool: Pool, wanted: number, log: Logger): Promise<void> {
  const partitions = await countPartitions(pool);
  if (partitions === wanted) return;
  log.warn(
    { partitions, record_partitions: wanted },
    `the tables have ${partitions} partitions, and RECORD_PARTITIONS is ${wanted}: they stay as they are until \`npm run admin -- storage partition ${wanted}\``,
  );
}

/** Moves all tables that are partitioned by user into so many partitions. @throws RangeError when they have as many */
export async function partitionFhirStore(url: string, partitions: number): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'fhir_store partitioning' });
  await client.connect();
  try {
    await partitionRecords(client, partitions, ['fhir_store.unresolved_reference']);
  } finally {
    await client.end();
  }
}
