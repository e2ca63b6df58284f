import {
  type ConnectionDetail,
  type ConnectionStatus,
  type FhirVersion,
  releasesNewestFirst,
} from '@tributary/contracts';
import type { Place, PlaceStatus } from '../screens/screens';

/** The type of the content of documents, which DocumentReference has as well. */
export const documentContent = 'Binary';

/**
 * The places of a user, the latest connected first. A health system publishes one record in up to three FHIR releases,
 * each with a connection of its own; for the user this is one place.
 */
export function placesOf(connections: readonly ConnectionDetail[]): Place[] {
  return byPlace(connections).map(placeOf).reverse();
}

/**
 * The releases in which the record is counted: of each place the newest one from which something was collected. Its
 * older releases have the same record.
 */
export function countedReleases(connections: readonly ConnectionDetail[]): FhirVersion[] {
  const newest = byPlace(connections).flatMap(
    (all) => newestFirst(all).find(({ progress }) => progress.collected > 0)?.fhirVersion ?? [],
  );
  return [...new Set(newest)];
}

/** The connections of each place. */
function byPlace(connections: readonly ConnectionDetail[]): ConnectionDetail[][] {
  const places = new Map<string, ConnectionDetail[]>();
  for (const connection of connections) {
    const { health_system, patient } = connection;
    const person = patient.name === undefined ? patient.id : `${patient.name} ${patient.birth_date ?? ''}`;
    const key = `${health_system.id} ${person}`;
    places.set(key, [...(places.get(key) ?? []), connection]);
  }
  return [...places.values()];
}

function newestFirst(connections: readonly ConnectionDetail[]): ConnectionDetail[] {
  const rank = ({ fhirVersion }: ConnectionDetail): number => releasesNewestFirst.indexOf(fhirVersion);
  return connections.toSorted((one, other) => rank(one) - rank(other));
}

function placeOf(all: readonly ConnectionDetail[]): Place {
  const connections = newestFirst(all);
  const [newest] = connections as [ConnectionDetail];
  const sum = (count: (connection: ConnectionDetail) => number): number =>
    connections.reduce((total, connection) => total + count(connection), 0);
  const person = connections.find(({ patient }) => patient.name !== undefined) ?? newest;
  const times = (of: (connection: ConnectionDetail) => string | null | undefined): string[] =>
    connections.flatMap((connection) => of(connection) ?? []).sort();
  const [lastCollectedAt] = times(({ last_collected_at }) => last_collected_at).reverse();
  const [retryAt] = times(({ retry_at }) => retry_at);
  const [consentEndsAt] = times(({ consent }) => consent.expires_at);
  return {
    system: newest.health_system,
    person: {
      ...(person.patient.name === undefined ? {} : { name: person.patient.name }),
      ...(person.patient.birth_date === undefined ? {} : { birthDate: existing(person.patient.birth_date) }),
    },
    isOtherPerson: connections.some(({ other_person }) => other_person),
    status: statusOf(connections),
    connectionIds: connections.map(({ connection_id }) => connection_id),
    typesDone: sum(({ progress }) => progress.types_done),
    typesTotal: sum(({ progress }) => progress.types_total),
    collected: Math.max(...connections.map(({ progress }) => progress.collected)),
    types: typesOf(connections),
    missing: missingOf(connections),
    ...(lastCollectedAt === undefined ? {} : { lastCollectedAt }),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(consentEndsAt === undefined ? {} : { consentEndsAt }),
  };
}

/** A date that exists. Of another one, such as 1980-00-00 where nobody knows the day, only the year. */
function existing(date: string): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  const at = new Date(Date.UTC(year, month - 1, day));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? date : date.slice(0, 4);
}

/** A place is as the connection of it that needs most attention. */
const statuses: readonly [ConnectionStatus, PlaceStatus][] = [
  ['needs_reauthorization', 'sign_in_again'],
  ['failed', 'failed'],
  ['collecting', 'collecting'],
];

function statusOf(connections: readonly ConnectionDetail[]): PlaceStatus {
  const inForce = connections.filter(({ status }) => status !== 'revoked');
  if (inForce.length === 0) return 'disconnected';
  const worst = statuses.find(([status]) => inForce.some((connection) => connection.status === status));
  return worst?.[1] ?? (inForce.every(({ complete }) => complete) ? 'up_to_date' : 'partly');
}

/**
 * The releases have the same record, and other types for the same things, so that release is shown of which most was
 * read. A collection that reads only changes does not know how much there is.
 */
function typesOf(connections: readonly ConnectionDetail[]): Place['types'] {
  const ofReleases = connections.map(({ types }) =>
    types
      .filter(({ type, read }) => read !== 'changes' && type !== documentContent)
      .map(({ type, stored, unchanged, done }) => ({ type, count: stored + unchanged, isDone: done }))
      .filter(({ count }) => count > 0)
      .sort((one, other) => other.count - one.count),
  );
  const total = (types: Place['types']): number => types.reduce((sum, { count }) => sum + count, 0);
  const [most = []] = ofReleases.sort((one, other) => total(other) - total(one));
  return most;
}

/** A type that one release has in full is not missing in another. */
function missingOf(connections: readonly ConnectionDetail[]): Place['missing'] {
  const results = connections.filter(({ status }) => status !== 'revoked').flatMap(({ results: each }) => each);
  const complete = new Set(results.flatMap(({ type, outcome }) => (outcome === 'complete' ? [type] : [])));
  const missing = new Map<string, Place['missing'][number]>();
  for (const { type, outcome } of results)
    if ((outcome === 'refused' || outcome === 'failed' || outcome === 'partial') && !complete.has(type))
      missing.set(type, { type, reason: outcome });
  return [...missing.values()];
}
