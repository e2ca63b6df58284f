import { type DatabaseConfig, openDatabase } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import { clientApplicationEntity } from '../clients/client-application-entity';
import { ClientAdministration1795910400005 } from './client-administration-migration';
import { ConsentTerms1763700000002 } from './consent-terms-migration';
import { CreateSchema1763700000001 } from './create-schema-migration';
import { FamilyEnd1795910400003 } from './family-end-migration';
import { People1795910400004 } from './people-migration';

/** The PostgreSQL schema that this service owns. */
export const authSchema = 'auth';

/** Opens the database and runs the migrations that are due. */
export function openAuthDatabase(database: DatabaseConfig | string): Promise<DataSource> {
  return openDatabase({
    database,
    schema: authSchema,
    entities: [clientApplicationEntity],
    migrations: [
      CreateSchema1763700000001,
      ConsentTerms1763700000002,
      FamilyEnd1795910400003,
      People1795910400004,
      ClientAdministration1795910400005,
    ],
  });
}
