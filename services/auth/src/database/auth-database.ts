import { type DatabaseConfig, openDatabase } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import { clientApplicationEntity } from '../clients/client-application-entity';
import { BackendServices1763730000002 } from './backend-services-migration';
import { ClientsAndTokens1763700000001 } from './clients-and-tokens-migration';
import { RefreshRotation1763760000003 } from './refresh-rotation-migration';

/** The PostgreSQL schema of this service. */
export const authSchema = 'auth';

/** Opens the database of auth and brings its schema up to date. */
export function openAuthDatabase(database: DatabaseConfig | string): Promise<DataSource> {
  const migrations = [ClientsAndTokens1763700000001, BackendServices1763730000002, RefreshRotation1763760000003];
  return openDatabase({ database, schema: authSchema, entities: [clientApplicationEntity], migrations });
}
