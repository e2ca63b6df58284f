import { grantReadAccess, recordStorageMigrations, setSessionDefaults } from '@tributary/record-storage';
import {
  type DatabaseConfig,
  type MigratedSchema,
  migrateDatabase,
  openMigratedDatabase,
} from '@tributary/service-kit';
import { unresolvedReferenceMigration } from '../collection/unresolved-reference-migration';

export const fhirStoreSchema = 'fhir_store';

export interface MigrationOptions {
  /** Hash partitions of each table, if they are made now. */
  partitions?: number;
  /** The role of analytics-export. */
  exportRole?: string | undefined;
}

/** Brings the schema up to date; replicas that start together do it one after the other. */
export async function migrateFhirStore(
  database: DatabaseConfig | string,
  { partitions = 0, exportRole }: MigrationOptions = {},
): Promise<MigratedSchema> {
  const migrations = [...recordStorageMigrations({ partitions }), unresolvedReferenceMigration(partitions)];
  const options = { database, schema: fhirStoreSchema, entities: [], migrations };
  const migrated = await migrateDatabase(options);
  const source = await openMigratedDatabase(options);
  try {
    await setSessionDefaults(source, typeof database === 'string' || database.DATABASE_POOLER === 'none');
    if (exportRole !== undefined) await grantReadAccess(source, exportRole);
  } finally {
    await source.destroy();
  }
  return migrated;
}
