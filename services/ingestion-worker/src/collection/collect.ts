import type { BatchSource, ConnectionForCollection, ConnectionsClient, LineOutcome, RecordsClient, TypeProgress } from '@tributary/contracts';
import type { AxiosInstance } from 'axios';
import { AccessToken } from '../health-system/access-token';
import { HealthSystemClient, HealthSystemUnreachable } from '../health-system/health-system-client';
import type { HostLimits } from '../health-system/host-limits';
import type { Position, Positions } from '../positions/positions';
import { type Capabilities, readCapabilities } from './capabilities';
import { collectReferences, referencedProgress } from './collect-references';
import { PageFailed, collectType } from './collect-type';
import { grantedTypes } from './granted-types';
import { planCollection } from './plan';
import { ProgressReporter, emptyProgress } from './progress';

export interface CollectionDependencies {
  connections: ConnectionsClient;
  records: RecordsClient;
  positions: Positions;
  http: AxiosInstance;
  limits: HostLimits;
}

/** The collection was replaced by a newer one, or its connection forgotten: nothing more is to be done. */
export class CollectionStale extends Error {}

const typesAtOnce = 4;

/**
 * Collects one connection's record, from where an earlier attempt stopped. Types go side by side; then what they refer to; then references that lead nowhere
 * get their source form back.
 * @returns the reasons why types are not complete; none when the collection is
 * @throws NeedsReauthorization, CollectionStale, or whatever keeps the collection from going on now
 */
export async function collect(dependencies: CollectionDependencies, connection: ConnectionForCollection, signal: AbortSignal): Promise<string[]> {
  const { connections, records, positions, http, limits } = dependencies;
  const { connection_id: connectionId, collection_id: collectionId, fhir_base_url: fhirBaseUrl, service_user_id: userId } = connection;
  const source: BatchSource = { client_id: connection.client_id, release: connection.fhirVersion, health_system_id: connection.health_system_id, fhir_base_url: fhirBaseUrl };
  const client = new HealthSystemClient({ fhirBaseUrl, release: connection.fhirVersion, http, limits, signal, token: new AccessToken(connections, connectionId, signal) });
  const all = (await positions.find(collectionId)) ?? (await begin(dependencies, connection, client));
  const referenced = new Map<string, TypeProgress>(all.map(({ type, progress }) => [type, progress]));
  const reporter = new ProgressReporter(
    () => [...referenced.values()],
    (report) => connections.report(connectionId, collectionId, report),
  );
  const store = async (lines: string[]): Promise<LineOutcome[]> => (await records.storeBatch(userId, source, `${lines.join('\n')}\n`, { signal })).results;
  const touched = async (): Promise<void> => {
    signal.throwIfAborted();
    await reporter.touch();
    if (reporter.stale) throw new CollectionStale();
  };
  const save = async (position: Position): Promise<void> => {
    await positions.save(collectionId, position);
    await touched();
  };
  const incomplete = await collectTypes(all.filter(({ progress }) => !progress.done), (position) => collectType({ position, fhirBaseUrl, client, store, save }));
  await collectReferences({
    fhirBaseUrl,
    client,
    granted: grantedTypes(connection.granted_scope),
    awaited: (after) => records.awaited(userId, source, after, { signal }),
    store,
    progressOf: (type) => referencedProgress(referenced, type),
    changed: touched,
  });
  if (incomplete.length === 0) {
    await records.settle(userId, source, { signal });
    await positions.complete(connectionId, collectionId);
    if (!(await reporter.finish('completed'))) throw new CollectionStale();
  } else await reporter.touch();
  return incomplete;
}

/** Runs the types side by side; one that fails does not hold up the others. */
async function collectTypes(positions: Position[], run: (position: Position) => Promise<void>): Promise<string[]> {
  const queue = [...positions];
  const incomplete: string[] = [];
  await Promise.all(
    Array.from({ length: typesAtOnce }, async () => {
      for (let position = queue.shift(); position; position = queue.shift()) {
        try {
          await run(position);
        } catch (error) {
          if (!(error instanceof PageFailed)) throw error;
          incomplete.push(error.message);
        }
      }
    }),
  );
  return incomplete;
}

async function begin({ positions }: CollectionDependencies, connection: ConnectionForCollection, client: HealthSystemClient): Promise<Position[]> {
  const since = await positions.lastCompletedStart(connection.connection_id);
  const plans = planCollection({
    release: connection.fhirVersion,
    patientId: connection.patient_id,
    grantedScope: connection.granted_scope,
    capabilities: await capabilitiesOf(client, connection.fhir_base_url),
    since: since?.toISOString(),
  });
  const begun = plans.map(({ type, searches }): Position => ({ type, cursor: { searches }, progress: emptyProgress(type) }));
  await positions.begin(connection.connection_id, connection.collection_id, begun);
  return begun;
}

async function capabilitiesOf(client: HealthSystemClient, fhirBaseUrl: string): Promise<Capabilities | undefined> {
  try {
    const { status, body } = await client.get(`${fhirBaseUrl.replace(/\/+$/, '')}/metadata`);
    return status < 400 ? readCapabilities(body) : undefined;
  } catch (error) {
    if (error instanceof HealthSystemUnreachable) return undefined;
    throw error;
  }
}
