import { type DatabaseConfig, type MigratedSchema, migrateDatabase } from '@tributary/service-kit';
import { AddListIndex1764600100000 } from './add-list-index-migration';
import { CreateSchema1763720000000 } from './create-schema-migration';

export const exportSchema = 'analytics_export';

/**
 * Migrates the schema of this service to the current version. Replicas that start together do it one after the other.
 */
export function migrateExportDatabase(database: DatabaseConfig | string): Promise<MigratedSchema> {
  return migrateDatabase({
    database,
    schema: exportSchema,
    entities: [],
    migrations: [CreateSchema1763720000000, AddListIndex1764600100000],
  });
}
