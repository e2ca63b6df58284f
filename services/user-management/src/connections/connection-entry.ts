import { type ConnectionEntry, countOutcomes } from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
import { collectedOf } from '../collection/collection-job';
import { informationOf, isSearched, warningsOf } from '../collection/last-result';
import { type ConsentReceiptRow, consentSummaryOf, scopeList } from '../consent/consent-receipts';
import type { Connection } from './connection';
import { openPatientId, openPerson } from './people';

/** What the entries of connections have beside their rows; null: the grant is deleted, or its token does not expire. */
export interface EntryRow extends ConsentReceiptRow {
  collected: number;
  scope: string | null;
  refreshable: boolean | null;
  access_expires_at: Date | null;
}

/** $1 the connections. */
export const selectEntries = `
SELECT r.*, ${collectedOf('c')} AS collected, g.scope, g.refreshable, g.expires_at AS access_expires_at
FROM connection c JOIN consent_receipt r ON r.receipt_id = c.consent_receipt_id
  LEFT JOIN health_system_grant g ON g.grant_id = c.grant_id
WHERE c.connection_id = ANY ($1)`;

/** A connection as the public API returns it. @param key of the user */
export function connectionEntryOf(key: DataKey, connection: Connection, row: EntryRow): ConnectionEntry {
  const person = connection.personSealed ? openPerson(key, connection.personSealed) : undefined;
  const { status, progress, lastResult, error, retryAt } = connection;
  const searched = progress.filter(isSearched);
  const types = lastResult?.types ?? progress;
  return {
    connection_id: connection.connectionId,
    health_system: { id: connection.healthSystemId, name: connection.healthSystemName },
    fhirVersion: connection.fhirVersion,
    patient: {
      id: openPatientId(key, connection.patientIdSealed),
      ...(person?.name === undefined ? {} : { name: person.name }),
      ...(person?.birthDate === undefined ? {} : { birth_date: person.birthDate }),
    },
    other_person: connection.isOtherPerson,
    status,
    progress: {
      collected: row.collected,
      types_done: searched.filter(({ done }) => done).length,
      types_total: progress.length === 0 ? (lastResult?.typesTotal ?? 0) : searched.length,
    },
    complete: lastResult?.complete ?? false,
    outcomes: countOutcomes(types),
    ...warningsOf(types),
    information: informationOf(types),
    last_collected_at: connection.lastCompletedAt?.toISOString() ?? null,
    granted_scopes: scopeList(row.scope ?? ''),
    refreshable: row.refreshable ?? false,
    ...(!row.refreshable && row.access_expires_at ? { access_expires_at: row.access_expires_at.toISOString() } : {}),
    consent: consentSummaryOf(key, row),
    ...(error === null ? {} : { error }),
    ...(status === 'collecting' && retryAt !== null ? { retry_at: retryAt.toISOString() } : {}),
  };
}
