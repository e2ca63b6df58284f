import { isDeepStrictEqual } from 'node:util';
import type {
  CollectionReport,
  ConnectionError,
  ConnectionStatus,
  Person,
  WebhookEventData,
} from '@tributary/contracts';
import type { CallAttributes } from '@tributary/service-kit';
import type { DataSource, EntityManager } from 'typeorm';
import { hourMs } from '../config';
import { connectionNotFound, staleCollection } from '../connections/connection-errors';
import { isOtherThanAll, openPerson, peopleOfRecord, sealPerson } from '../connections/people';
import { isConsentExpired } from '../consent/consent-receipts';
import { changedRows } from '../database/changed-rows';
import type { DataKeys } from '../database/data-keys';
import type { Dependencies } from '../dependencies';
import { healthSystemPaused, isConnectionPaused } from '../health-systems/paused-hosts';
import { measured } from '../outcomes/client-outcomes';
import { recordOutcomes } from '../outcomes/connect-outcomes';
import { lockUser } from '../users/user-lock';
import {
  type AnnouncedColumns,
  announcedColumns,
  recordConnectionEvent,
  recordStatusEvent,
} from '../webhooks/webhook-outbox';
import { heartbeatTimeoutSeconds } from './due-collections';
import { type LastResult, resultOf, warningsOf } from './last-result';
import { collectionRetryDelayMs, nextCollectionDelayMs } from './retry-delay';

/**
 * For how long transient failures may last before the first collection of a connection fails. A connection with a
 * completed collection stays `collecting`, and is retried about once a day for as long as the outage lasts.
 */
const firstCollectionMaxDays = 7;

const unknownError: ConnectionError = {
  code: 'internal_error',
  message: 'the collection failed without a reason',
};

/** A connection with a collection in progress, and the columns that decide how a report changes it. */
interface CollectingConnection extends AnnouncedColumns {
  health_system_name: string;
  last_result: LastResult | null;
  failed_attempts: number;
  /** Since the collection was due; null when a replica that does not store that has begun it. */
  seconds: number | null;
  /** Set while the collection waits to be retried: then a repeated report of the same failure changes nothing. */
  retry_at: Date | null;
  /** Whether the first collection has failed for longer than `firstCollectionMaxDays`. */
  is_given_up: boolean;
}

interface PersonColumns {
  person_sealed: Buffer | null;
  health_system_id: string;
  patient_id_blind_index: Buffer;
}

type OwnerColumns = Pick<AnnouncedColumns, 'service_user_id' | 'client_id'>;

/** Whether the collection is the one in progress, and its consent has not run out. */
export async function isInProgress(database: DataSource, connectionId: string, collectionId: string): Promise<boolean> {
  const found = (await database.query(
    `SELECT FROM connection c WHERE connection_id = $1 AND collection_id = $2 AND status = 'collecting'
       AND NOT ${isConsentExpired('c')}`,
    [connectionId, collectionId],
  )) as unknown[];
  return found.length > 0;
}

/**
 * Applies a report of the worker if its collection is the one in progress. The report of an end may be repeated.
 * @returns whose connection it is, for the audit log
 * @throws HttpError 404 when the connection is revoked or deleted, 409 when another collection has started or the
 * consent has run out: the worker should stop; 409 `health_system_paused` after the progress is stored
 */
export async function applyReport(
  { database, keys, config }: Dependencies,
  connectionId: string,
  collectionId: string,
  report: CollectionReport,
): Promise<CallAttributes> {
  const owner =
    report.state === 'collecting'
      ? await updateProgress(database, connectionId, collectionId, report)
      : await endCollection(database, connectionId, collectionId, report, config.COLLECT_AGAIN_AFTER_HOURS * hourMs);
  if (owner) {
    const serviceUserId = Number(owner.service_user_id);
    if (report.person) await savePerson(database, keys, connectionId, serviceUserId, report.person);
    return { subject: serviceUserId, clientId: owner.client_id };
  }
  const [connection] = (await database.query(
    'SELECT status, collection_id, service_user_id, client_id FROM connection WHERE connection_id = $1',
    [connectionId],
  )) as (OwnerColumns & { status: ConnectionStatus; collection_id: string })[];
  if (!connection || connection.status === 'revoked') throw connectionNotFound();
  const isCurrent = connection.collection_id === collectionId;
  // A collection in progress whose consent has run out takes no report either.
  const hasEnded = report.state !== 'collecting' && isCurrent && connection.status !== 'collecting';
  if (!hasEnded) throw staleCollection();
  return { subject: Number(connection.service_user_id), clientId: connection.client_id };
}

/** Stores who the Patient is. One that could not be read before is compared with the people of the record. */
async function savePerson(
  database: DataSource,
  keys: DataKeys,
  connectionId: string,
  serviceUserId: number,
  found: Person,
): Promise<void> {
  const key = await keys.ofUser(serviceUserId);
  const find = async (on: DataSource | EntityManager): Promise<PersonColumns | undefined> => {
    const select =
      'SELECT person_sealed, health_system_id, patient_id_blind_index FROM connection WHERE connection_id = $1';
    const [row] = (await on.query(select, [connectionId])) as PersonColumns[];
    return row;
  };
  const known = await find(database);
  if (known?.person_sealed && isDeepStrictEqual(openPerson(key, known.person_sealed), found)) return;
  await database.transaction(async (manager) => {
    await lockUser(manager, serviceUserId);
    const connection = await find(manager);
    if (!connection) return;
    const { health_system_id: healthSystemId, patient_id_blind_index: blindIndex } = connection;
    const { others } = await peopleOfRecord(manager, key, serviceUserId, { healthSystemId, blindIndex });
    const isOther = connection.person_sealed === null && isOtherThanAll(found, others);
    await manager.query(
      `UPDATE connection SET person_sealed = $2, is_other_person = is_other_person OR $3 WHERE connection_id = $1`,
      [connectionId, sealPerson(key, found), isOther],
    );
  });
}

/**
 * Changes an indexed column only when the sweep would check the collection too late. Without such a change PostgreSQL
 * needs no new index entries (heap-only tuple update).
 */
async function updateProgress(
  database: DataSource,
  connectionId: string,
  collectionId: string,
  report: CollectionReport,
): Promise<OwnerColumns | undefined> {
  const [changed] = await changedRows<OwnerColumns & { is_paused: boolean }>(
    database,
    `UPDATE connection SET progress = $3::jsonb, heartbeat_at = now(),
       error = CASE WHEN retry_at IS NULL THEN $4::jsonb ELSE error END,
       enqueue_at = CASE WHEN enqueue_at > now() + 2 * $5 * interval '1 second'
         THEN now() + $5 * interval '1 second' ELSE enqueue_at END
     WHERE connection_id = $1 AND collection_id = $2 AND status = 'collecting'
       AND NOT ${isConsentExpired('connection')}
     RETURNING service_user_id, client_id, ${isConnectionPaused('connection')} AS is_paused`,
    [connectionId, collectionId, JSON.stringify(report.types), jsonOrNull(report.error), heartbeatTimeoutSeconds],
  );
  if (changed?.is_paused) throw healthSystemPaused();
  return changed;
}

/**
 * Stores the end of a collection, or of one attempt, and records its events in the same transaction.
 * @param intervalMs the time between the end of a collection without a failed type and the next, varied by 10 %
 */
function endCollection(
  database: DataSource,
  connectionId: string,
  collectionId: string,
  report: CollectionReport,
  intervalMs: number,
): Promise<OwnerColumns | undefined> {
  return database.transaction(async (manager) => {
    const [connection] = (await manager.query(
      `SELECT ${announcedColumns}, c.health_system_name, c.last_result, c.failed_attempts, c.retry_at,
         extract(epoch FROM now() - c.collection_due_at)::float AS seconds,
         c.last_completed_at IS NULL AND
           coalesce(c.failing_since < now() - $3 * interval '1 day', false) AS is_given_up
       FROM connection c WHERE c.connection_id = $1 AND c.collection_id = $2 AND c.status = 'collecting'
         AND NOT ${isConsentExpired('c')} FOR UPDATE OF c`,
      [connectionId, collectionId, firstCollectionMaxDays],
    )) as CollectingConnection[];
    if (!connection) return undefined;
    if (report.state === 'completed') await finish(manager, connection, report, intervalMs);
    else if (connection.retry_at !== null) return connection;
    else if (report.failure === 'transient' && !connection.is_given_up)
      await postpone(manager, connection, report, intervalMs);
    else await finish(manager, connection, report, intervalMs, report.error ?? unknownError);
    return connection;
  });
}

/** @param error of a collection that failed */
async function finish(
  manager: EntityManager,
  connection: CollectingConnection,
  report: CollectionReport,
  intervalMs: number,
  error?: ConnectionError,
): Promise<void> {
  const now = new Date();
  const result = resultOf({ ...report, state: error ? 'failed' : 'completed' }, connection.last_result, now);
  const failingMs = result.failingSince === undefined ? undefined : now.getTime() - Date.parse(result.failingSince);
  await manager.query(
    `UPDATE connection SET status = $2, last_announced_status = $2, progress = $3::jsonb, error = $4::jsonb,
       last_result = $6::jsonb, retry_at = NULL, failing_since = NULL, failed_attempts = 0,
       next_collection_at = now() + $5 * interval '1 millisecond', collection_due_at = NULL,
       last_completed_at = CASE WHEN $2 = 'active' THEN now() ELSE last_completed_at END,
       full_collection = CASE WHEN $2 = 'active' THEN nullif(full_collection, 'under_way') ELSE full_collection END
     WHERE connection_id = $1`,
    [
      connection.connection_id,
      error ? 'failed' : 'active',
      JSON.stringify(report.types),
      jsonOrNull(error),
      nextCollectionDelayMs(intervalMs, error ? undefined : failingMs),
      JSON.stringify(result),
    ],
  );
  if (error) await recordStatusEvent(manager, 'failed', connection, { error });
  else {
    const data = { complete: result.complete, ...warningsOf(result.types) };
    await recordStatusEvent(manager, 'active', connection, data);
    const types = collectedTypes(report, result);
    await recordConnectionEvent(manager, 'collection.completed', connection, { ...data, types });
  }
  const refused = report.types.filter(({ outcome }) => outcome === 'refused');
  const reason = error?.code ?? (result.complete ? 'complete' : 'incomplete');
  const { health_system_id: id, health_system_name: name, client_id: clientId, seconds } = connection;
  await recordOutcomes(
    manager,
    { healthSystem: { id: Number(id), name }, clientId },
    [{ kind: 'collection', reason }, ...refused.map(({ type }) => ({ kind: 'type_refused' as const, reason: type }))],
    [
      ...report.types.flatMap(({ type, stored }) =>
        stored === 0 ? [] : [{ kind: 'resource' as const, label: type, occurrences: stored }],
      ),
      ...(error || seconds === null ? [] : [measured('collection_seconds', seconds)]),
    ],
  );
}

async function postpone(
  manager: EntityManager,
  { connection_id, failed_attempts }: CollectingConnection,
  report: CollectionReport,
  maxMs: number,
): Promise<void> {
  const { retry_after_seconds: retryAfterSeconds } = report;
  await manager.query(
    `UPDATE connection SET progress = $2::jsonb, error = $3::jsonb,
       failing_since = coalesce(failing_since, now()), failed_attempts = failed_attempts + 1,
       heartbeat_at = NULL, enqueue_attempts = 0,
       retry_at = now() + $4 * interval '1 millisecond', enqueue_at = now() + $4 * interval '1 millisecond'
     WHERE connection_id = $1`,
    [
      connection_id,
      JSON.stringify(report.types),
      jsonOrNull(report.error),
      collectionRetryDelayMs(failed_attempts + 1, { maxMs, retryAfterSeconds }),
    ],
  );
}

/** The counts of the collection, each with the outcome of its type in the result. */
function collectedTypes(
  { types }: CollectionReport,
  { types: results }: LastResult,
): WebhookEventData<'collection.completed'>['types'] {
  const outcomes = new Map(results.map(({ type, outcome }) => [type, outcome]));
  return types.map(({ type, outcome, fetched, stored, unchanged, failed, created, deleted }) => ({
    type,
    outcome: outcomes.get(type) ?? outcome,
    fetched,
    stored,
    unchanged,
    failed,
    created,
    deleted,
  }));
}

function jsonOrNull(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
