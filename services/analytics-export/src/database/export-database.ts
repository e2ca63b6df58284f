import { openDatabase } from '@tributary/service-kit';
import { ExportsAndAccesses1763720000000 } from './exports-and-accesses-migration';

export const exportSchema = 'analytics_export';

/** Brings the service's own schema up to date; replicas that start together do it one after the other. */
export async function migrateExportDatabase(url: string): Promise<void> {
  const source = await openDatabase({ url, schema: exportSchema, entities: [], migrations: [ExportsAndAccesses1763720000000], poolSize: 2 });
  await source.destroy();
}
