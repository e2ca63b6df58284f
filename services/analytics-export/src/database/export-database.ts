import { type DatabaseConfig, migrateDatabase } from '@tributary/service-kit';
import { ExportJobsAndAuditLog1763720000000 } from './initial-migration';

export const exportSchema = 'analytics_export';

/**
 * Migrates the schema of this service to the current version. Replicas that start together do it one after the other.
 */
export function migrateExportDatabase(database: DatabaseConfig | string): Promise<void> {
  return migrateDatabase({
    database,
    schema: exportSchema,
    entities: [],
    migrations: [ExportJobsAndAuditLog1763720000000],
  });
}
