import { type ConnectionEntry, type ConsentSummary, type Person, countOutcomes } from '@tributary/contracts';
import { informationOf, isSearched, warningsOf } from '../collection/last-result';
import { scopeList } from '../consent/consent-receipt';
import type { Grant } from '../grants/grant';
import type { Connection } from './connection';

/**
 * A connection as the public API returns it.
 * @param patient its id at the health system, and whose record it is, unless the Patient was never read
 * @param grant undefined when it is deleted
 */
export function connectionEntryOf(
  connection: Connection,
  { patientId, person }: { patientId: string; person: Person | undefined },
  grant: Pick<Grant, 'scope' | 'refreshable' | 'expiresAt'> | undefined,
  consent: ConsentSummary,
): ConnectionEntry {
  const {
    connectionId,
    healthSystemId,
    healthSystemName,
    fhirVersion,
    status,
    progress,
    lastResult,
    lastCompletedAt,
    error,
    retryAt,
  } = connection;
  const searched = progress.filter(isSearched);
  const types = lastResult?.types ?? progress;
  return {
    connection_id: connectionId,
    health_system: { id: healthSystemId, name: healthSystemName },
    fhirVersion,
    patient: {
      id: patientId,
      ...(person?.name === undefined ? {} : { name: person.name }),
      ...(person?.birthDate === undefined ? {} : { birth_date: person.birthDate }),
    },
    other_person: connection.isOtherPerson,
    status,
    progress: {
      collected: collectedOf(connection),
      types_done: searched.filter(({ done }) => done).length,
      types_total: progress.length === 0 ? (lastResult?.typesTotal ?? 0) : searched.length,
    },
    complete: lastResult?.complete ?? false,
    outcomes: countOutcomes(types),
    ...warningsOf(types),
    information: informationOf(types),
    last_collected_at: lastCompletedAt?.toISOString() ?? null,
    granted_scopes: grant ? scopeList(grant.scope) : [],
    refreshable: grant?.refreshable ?? false,
    ...(grant && !grant.refreshable && grant.expiresAt ? { access_expires_at: grant.expiresAt.toISOString() } : {}),
    consent,
    ...(error === null ? {} : { error }),
    ...(status === 'collecting' && retryAt !== null ? { retry_at: retryAt.toISOString() } : {}),
  };
}

/**
 * How many resources were collected, without those that the health system has deleted. A restored resource that a
 * collection had deleted counts again. One that the client had deleted was never counted out.
 */
function collectedOf({ progress, collectedBefore, deletedBefore }: Connection): number {
  const restored = progress.reduce((sum, type) => sum + (type.restored ?? 0), 0);
  return progress.reduce(
    (sum, { created, deleted }) => sum + created - deleted,
    collectedBefore - restored + Math.min(restored, deletedBefore),
  );
}
