import type { ConnectionError, ConnectionStatus, FhirVersion, TypeProgress } from '@tributary/contracts';
import { EntitySchema } from 'typeorm';
import type { LastResult } from '../collection/last-result';
import { bigintColumn } from '../database/bigint-column';

/** The connection of a user to one FHIR release of a health system, for one patient there. */
export interface Connection {
  connectionId: string;
  serviceUserId: number;
  clientId: string;
  healthSystemId: number;
  healthSystemName: string;
  fhirVersion: FhirVersion;
  /** The id of the patient at the health system, sealed under the data key of the user. */
  patientIdSealed: Buffer;
  patientIdBlindIndex: Buffer;
  /** Whose record it is (`sealPerson`). Null before the Patient was read. */
  personSealed: Buffer | null;
  /** Whether the Patient was another person than those of the record when it was connected. */
  isOtherPerson: boolean;
  /** The receipt of the last consent. */
  consentReceiptId: string;
  status: ConnectionStatus;
  /** Of the collection in progress, or the last one. */
  collectionId: string;
  /** Of the same collection, as last reported. */
  progress: TypeProgress[];
  /** Null before the first collection has ended. */
  lastResult: LastResult | null;
  error: ConnectionError | null;
  lastCompletedAt: Date | null;
  retryAt: Date | null;
  createdAt: Date;
}

/** Only `collection/` uses the other columns of the schedule. */
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
    patientIdSealed: { name: 'patient_id_sealed', type: 'bytea' },
    patientIdBlindIndex: { name: 'patient_id_blind_index', type: 'bytea' },
    personSealed: { name: 'person_sealed', type: 'bytea', nullable: true },
    isOtherPerson: { name: 'is_other_person', type: 'boolean' },
    consentReceiptId: { name: 'consent_receipt_id', type: 'uuid' },
    status: { type: 'text' },
    collectionId: { name: 'collection_id', type: 'uuid' },
    progress: { type: 'jsonb' },
    lastResult: { name: 'last_result', type: 'jsonb', nullable: true },
    error: { type: 'jsonb', nullable: true },
    lastCompletedAt: { name: 'last_completed_at', type: 'timestamptz', nullable: true },
    retryAt: { name: 'retry_at', type: 'timestamptz', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', createDate: true },
  },
});
