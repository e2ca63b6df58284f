import {
  type ConnectionEntry,
  type ConnectionError,
  type ConnectionStatus,
  type FhirVersion,
  type TypeProgress,
  countOutcomes,
} from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
import { collectedOf } from '../collection/collection-job';
import { type LastResult, informationOf, isSearched, warningsOf } from '../collection/last-result';
import { type ConsentReceiptRow, consentSummaryOf, scopeList } from '../consent/consent-receipts';
import { openPatientId, openPerson } from './people';

/**
 * The connection of a user to one FHIR release of a health system, for one patient there; with its grant, and the
 * receipt of the last consent.
 */
export interface Connection extends ConsentReceiptRow {
  service_user_id: number;
  health_system_id: number;
  health_system_name: string;
  fhir_version: FhirVersion;
  patient_id_sealed: Buffer;
  /** Null before the Patient was read. */
  person_sealed: Buffer | null;
  /** Whether the Patient was another person than those of the record when it was connected. */
  is_other_person: boolean;
  status: ConnectionStatus;
  /** Of the collection in progress, or the last one, as last reported. */
  progress: TypeProgress[];
  /** Null before the first collection has ended. */
  last_result: LastResult | null;
  collected: number;
  error: ConnectionError | null;
  last_completed_at: Date | null;
  retry_at: Date | null;
  /** Null when the grant is deleted. */
  scope: string | null;
  refreshable: boolean | null;
  access_expires_at: Date | null;
}

/** The connections of user $1. */
export const selectConnections = `
SELECT r.*, c.service_user_id::float, c.health_system_id::float, c.health_system_name, c.fhir_version,
  c.patient_id_sealed, c.person_sealed, c.is_other_person, c.status, c.progress, c.last_result, c.error,
  c.last_completed_at, c.retry_at, ${collectedOf('c')} AS collected, g.scope, g.refreshable,
  g.expires_at AS access_expires_at
FROM connection c JOIN consent_receipt r ON r.receipt_id = c.consent_receipt_id
  LEFT JOIN health_system_grant g ON g.grant_id = c.grant_id
WHERE c.service_user_id = $1`;

/** A connection as the public API returns it. @param key of the user */
export function connectionEntryOf(key: DataKey, connection: Connection): ConnectionEntry {
  const { status, progress, error, retry_at, person_sealed, refreshable, access_expires_at } = connection;
  const person = person_sealed ? openPerson(key, person_sealed) : undefined;
  const searched = progress.filter(isSearched);
  const lastResult = connection.last_result;
  const types = lastResult?.types ?? progress;
  return {
    connection_id: connection.connection_id,
    health_system: { id: connection.health_system_id, name: connection.health_system_name },
    fhirVersion: connection.fhir_version,
    patient: {
      id: openPatientId(key, connection.patient_id_sealed),
      ...(person?.name === undefined ? {} : { name: person.name }),
      ...(person?.birthDate === undefined ? {} : { birth_date: person.birthDate }),
    },
    other_person: connection.is_other_person,
    status,
    progress: {
      collected: connection.collected,
      types_done: searched.filter(({ done }) => done).length,
      types_total: progress.length === 0 ? (lastResult?.typesTotal ?? 0) : searched.length,
    },
    complete: lastResult?.complete ?? false,
    outcomes: countOutcomes(types),
    ...warningsOf(types),
    information: informationOf(types),
    last_collected_at: connection.last_completed_at?.toISOString() ?? null,
    granted_scopes: scopeList(connection.scope ?? ''),
    refreshable: refreshable ?? false,
    ...(!refreshable && access_expires_at ? { access_expires_at: access_expires_at.toISOString() } : {}),
    consent: consentSummaryOf(key, connection),
    ...(error === null ? {} : { error }),
    ...(status === 'collecting' && retry_at !== null ? { retry_at: retry_at.toISOString() } : {}),
  };
}
