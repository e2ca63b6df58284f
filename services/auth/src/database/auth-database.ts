import { type DatabaseConfig, type MigratedSchema, migrateDatabase, openDatabase } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import { clientApplicationEntity } from '../clients/client-application-entity';
import { AddDeveloperOfTokens1764600000000 } from './add-developer-of-tokens-migration';
import { AddOrganisations1764500000000 } from './add-organisations-migration';
import { AddPageSettings1764000000000 } from './add-page-settings-migration';
import { CreateSchema1763700000001 } from './create-schema-migration';

/** The PostgreSQL schema that this service owns. */
export const authSchema = 'auth';

const migrations = [
  CreateSchema1763700000001,
  AddPageSettings1764000000000,
  AddOrganisations1764500000000,
  AddDeveloperOfTokens1764600000000,
];

/** Opens the database and runs the migrations that are due. */
export function openAuthDatabase(database: DatabaseConfig | string): Promise<DataSource> {
  return openDatabase({ database, schema: authSchema, entities: [clientApplicationEntity], migrations });
}

export function migrateAuthDatabase(database: DatabaseConfig): Promise<MigratedSchema> {
  return migrateDatabase({ database, schema: authSchema, entities: [], migrations });
}
