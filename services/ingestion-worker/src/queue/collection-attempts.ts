import {
  ClientNotAccepted,
  type CollectionFailure,
  type ConnectionForCollection,
  ConsentEnded,
  HealthSystemPaused,
  NeedsReauthorization,
} from '@tributary/contracts';
import { type RuntimeSettings, counter, describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { type Attempt, type AttemptHistory, AttemptSuperseded } from '../checkpoints/attempt';
import { collect } from '../collection/collect';
import { CollectionStale } from '../collection/record/progress-reporter';
import type { CollectionEnd } from '../collection/outcome/collection-outcome';
import type { Collector, CollectorSettings } from '../collector';
import { isInternalOutage } from '../internal-services/internal-outage';
import { IsolatedProcessCrashed, collectIsolated } from '../isolation/collect-isolated';
import { settingsToSent, toSent } from '../isolation/messages';
import type { HostOutcome } from './host-scheduler';

export interface CollectionAttemptsOptions {
  collector: Collector;
  /** For the process of an isolated collection. */
  settings: CollectorSettings;
  /** For the processes of isolated collections. */
  runtime: RuntimeSettings;
  /**
   * After this many attempts that ended incomplete although the health system responded, the collection fails
   * permanently.
   */
  maxFailedAttempts: number;
  log: Logger;
}

/** The reason is `none`, or whether the failure is transient or permanent. */
const collectionAttempts = counter(
  'tributary_collection_attempts_total',
  'The attempts at collections that ended, by outcome and reason.',
  ['outcome', 'reason'],
);

/**
 * A collection runs in a process of its own after this many crashes, and fails permanently after as many crashes there.
 */
const maxCrashes = 2;
const crashed = 'the collection crashed the process that collected it';
/** After these errors no attempt continues the collection. */
const endings = [
  [CollectionStale, 'the collection was replaced by a newer one, or its connection is gone'],
  [NeedsReauthorization, 'the user must connect again: the health system no longer accepts the grant'],
  [ConsentEnded, 'the consent of the user has ended'],
] as const;
const unexpected = 'the collection ended with an unexpected error';

/**
 * Runs one attempt at a collection, and records its outcome: failed attempts and crashes count, outages of internal
 * services do not.
 */
export class CollectionAttempts {
  constructor(private readonly options: CollectionAttemptsOptions) {}

  /** Whether this collection, or an earlier one of the connection, has crashed its process repeatedly. */
  async needsIsolation(connectionId: string, collectionId: string): Promise<boolean> {
    return needsIsolation(await this.options.collector.attempts.history(connectionId, collectionId));
  }

  /** The host and port of the FHIR base, for a job that does not name them; empty when the connection is gone. */
  async hostOf(connectionId: string): Promise<string> {
    const connection = await this.options.collector.connections.find(connectionId);
    return connection && URL.canParse(connection.fhir_base_url) ? new URL(connection.fhir_base_url).host : '';
  }

  /**
   * Collects from the last checkpoint, and reports the outcome to user-management. When the connection is gone, deletes
   * its rows. While its host is paused, nothing happens.
   * @returns what the attempt has learned about the host
   * @throws the reason of the signal
   * @throws an internal outage (`isInternalOutage`) or IsolatedProcessCrashed: the job is to be delayed
   */
  async run(connectionId: string, collectionId: string, signal: AbortSignal): Promise<HostOutcome> {
    const { connections, checkpoints, attempts } = this.options.collector;
    const connection = await connections.find(connectionId, { signal });
    if (!connection) await checkpoints.deleteConnection(connectionId);
    if (connection?.collection_id !== collectionId || connection.status !== 'collecting') {
      await checkpoints.deleteCheckpoints(collectionId);
      return 'unknown';
    }
    if (connection.is_paused) return 'unknown';
    const { attempt, history } = await attempts.start(connectionId, collectionId);
    return this.#run(connection, attempt, history, signal);
  }

  async #run(
    connection: ConnectionForCollection,
    attempt: Attempt,
    history: AttemptHistory,
    signal: AbortSignal,
  ): Promise<HostOutcome> {
    const { collector, log } = this.options;
    const { checkpoints, attempts } = collector;
    const ids = { connectionId: attempt.connectionId, collectionId: attempt.collectionId };
    let hasFailed = false;
    try {
      const end = await this.#collect(connection, attempt, history, signal);
      collectionAttempts.inc({ outcome: end.state, reason: end.state === 'completed' ? 'none' : end.failure });
      if (end.state === 'completed') log.info({ ...ids, gaps: end.gaps }, 'the collection is completed');
      else log.warn({ ...ids, failure: end.failure, reasons: end.reasons }, 'the collection failed');
      if (end.state === 'completed' || end.failure === 'permanent')
        await checkpoints.deleteCheckpoints(attempt.collectionId);
      else hasFailed = end.isCounted;
      return end.state === 'completed' || end.hasResponded ? 'responded' : 'unreachable';
    } catch (error) {
      signal.throwIfAborted();
      const ending = endings.find(([type]) => error instanceof type);
      if (error instanceof AttemptSuperseded) log.info(ids, 'the attempt was superseded by a later one');
      else if (ending) {
        log.info(ids, ending[1]);
        await checkpoints.deleteCheckpoints(attempt.collectionId);
      } else if (error instanceof HealthSystemPaused)
        log.info(ids, 'the operator has paused the health system; the collection continues later');
      else if (error instanceof ClientNotAccepted)
        log.error(ids, 'the health system refuses the client registration of Tributary');
      else if (error instanceof IsolatedProcessCrashed) {
        log.error(ids, 'the isolated process of the collection crashed');
        await attempts.recordIsolatedCrash(attempt);
        throw error;
      } else await this.#reportUnexpected(attempt, error);
      return 'unknown';
    } finally {
      await attempts.end(attempt, hasFailed).catch(() => undefined);
    }
  }

  async #collect(
    connection: ConnectionForCollection,
    attempt: Attempt,
    history: AttemptHistory,
    signal: AbortSignal,
  ): Promise<CollectionEnd> {
    if (history.isolatedCrashes >= maxCrashes) return this.#failAfterCrashes(attempt);
    const isLast = history.failedAttempts + 1 >= this.options.maxFailedAttempts;
    const { collector, settings, runtime, log } = this.options;
    if (!needsIsolation(history)) return collect(collector, connection, { attempt, signal, isLast });
    return collectIsolated(
      {
        settings: settingsToSent(settings),
        runtime: toSent(runtime),
        logLevel: log.level,
        connection,
        attempt,
        isLast,
      },
      signal,
    );
  }

  async #failAfterCrashes(attempt: Attempt): Promise<CollectionEnd> {
    await this.#reportInternalError(attempt, 'permanent', crashed);
    return { state: 'failed', failure: 'permanent', hasResponded: true, isCounted: true, reasons: crashed };
  }

  /**
   * An unexpected error is reported as transient, so that user-management queues the collection again.
   * @throws an internal outage
   */
  async #reportUnexpected(attempt: Attempt, error: unknown): Promise<void> {
    if (isInternalOutage(error)) throw error;
    const { connectionId, collectionId } = attempt;
    this.options.log.error({ connectionId, collectionId, err: describeError(error) }, unexpected);
    await this.#reportInternalError(attempt, 'transient', unexpected);
  }

  async #reportInternalError(
    { connectionId, collectionId }: Attempt,
    failure: CollectionFailure,
    message: string,
  ): Promise<void> {
    const { connections, checkpoints } = this.options.collector;
    const types = ((await checkpoints.find(collectionId)) ?? []).map(({ progress }) => progress);
    const error = { code: 'internal_error' as const, message };
    await connections.report(connectionId, collectionId, { state: 'failed', failure, types, error });
  }
}

function needsIsolation({ crashes, isIsolated }: AttemptHistory): boolean {
  return crashes >= maxCrashes || isIsolated;
}
