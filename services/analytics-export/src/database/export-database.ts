import { type DatabaseConfig, migrateDatabase } from '@tributary/service-kit';
import { ExportsAndAccesses1763720000000 } from './exports-and-accesses-migration';
import { PlanCheckpointsAndRetention1763800000000 } from './plan-checkpoints-and-retention-migration';

export const exportSchema = 'analytics_export';

/** Brings the service's own schema up to date; replicas that start together do it one after the other. */
export function migrateExportDatabase(database: DatabaseConfig | string): Promise<void> {
  return migrateDatabase({
    database,
    schema: exportSchema,
    entities: [],
    migrations: [ExportsAndAccesses1763720000000, PlanCheckpointsAndRetention1763800000000],
  });
}
