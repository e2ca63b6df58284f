import type { ConnectionStatus, FhirVersion, TypeProgress } from '@tributary/contracts';
import { EntitySchema } from 'typeorm';
import { bigintColumn } from '../database/bigint-column';

/** A status that stays until something is done. */
export type AnnouncedStatus = Extract<ConnectionStatus, 'active' | 'needs_reauthorization' | 'failed'>;

/** One user's connection to one health system in one FHIR release, for one patient there. */
export interface Connection {
  connectionId: string;
  serviceUserId: number;
  clientId: string;
  healthSystemId: number;
  healthSystemName: string;
  fhirVersion: FhirVersion;
  fhirBaseUrl: string;
  /** The patient's id at the source, sealed, and a keyed hash of it that tells patients apart. */
  patientSealed: Buffer;
  patientBlind: Buffer;
  /** Null when the tokens are gone. */
  grantId: string | null;
  status: ConnectionStatus;
  /** What the last collection, or the last use of the grant, came to; an event tells of its changes. */
  lastAnnouncedStatus: AnnouncedStatus | null;
  collectionId: string;
  progress: TypeProgress[];
  error: string | null;
  lastCompletedAt: Date | null;
  /** When a collection goes on whose health system is not available. */
  retryAt: Date | null;
  /** When the next collection follows by itself. */
  nextCollectionAt: Date | null;
  createdAt: Date;
}

/** The other columns of the schedule are left to `collection/due-collections.ts` and `collection-reports.ts`. */
export const connectionEntity = new EntitySchema<Connection>({
  name: 'Connection',
  tableName: 'connection',
  columns: {
    connectionId: { name: 'connection_id', type: 'uuid', primary: true },
    serviceUserId: { ...bigintColumn, name: 'service_user_id' },
    clientId: { name: 'client_id', type: 'text' },
    healthSystemId: { ...bigintColumn, name: 'health_system_id' },
    healthSystemName: { name: 'health_system_name', type: 'text' },
    fhirVersion: { name: 'fhir_version', type: 'text' },
    fhirBaseUrl: { name: 'fhir_base_url', type: 'text' },
    patientSealed: { name: 'patient_sealed', type: 'bytea' },
    patientBlind: { name: 'patient_blind', type: 'bytea' },
    grantId: { name: 'grant_id', type: 'uuid', nullable: true },
    status: { type: 'text' },
    lastAnnouncedStatus: { name: 'last_announced_status', type: 'text', nullable: true },
    collectionId: { name: 'collection_id', type: 'uuid' },
    progress: { type: 'jsonb' },
    error: { type: 'text', nullable: true },
    lastCompletedAt: { name: 'last_completed_at', type: 'timestamptz', nullable: true },
    retryAt: { name: 'retry_at', type: 'timestamptz', nullable: true },
    nextCollectionAt: { name: 'next_collection_at', type: 'timestamptz', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', createDate: true },
  },
});
