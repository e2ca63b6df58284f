import { ClientNotAccepted, type ConnectionForCollection, NeedsReauthorization } from '@tributary/contracts';
import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { type CollectionDependencies, type CollectionEnd, CollectionStale, collect } from '../collection/collect';
import type { CollectorSettings } from '../collector';
import { IsolatedProcessCrashed, collectIsolated } from '../isolation/isolation';
import { type Attempt, AttemptSuperseded, type CollectionHistory } from '../positions/attempt';
import type { HostAnswer } from './host-schedule';
import { isOurOwn } from './failures';

export interface CollectionAttemptsOptions extends CollectionDependencies {
  log: Logger;
  /** For the process of a collection that has to be alone. */
  settings: CollectorSettings;
  /** How many attempts a part may fail in although the health system answers, before it has failed for good. */
  mostFailedAttempts: number;
}

/** A collection whose process crashed so often runs in a process of its own; one that crashes that so often fails. */
const mostCrashes = 2;
const crashed = 'the collection crashed the process that collected it';
const unexpected = 'the collection could not be ended';

/** Runs one attempt at a collection, and keeps the account of attempts and crashes. */
export class CollectionAttempts {
  constructor(private readonly options: CollectionAttemptsOptions) {}

  /** Whether the collection, or an earlier one of the connection, is suspected of crashing its process. */
  async mustBeAlone(connectionId: string, collectionId: string): Promise<boolean> {
    return isSuspect(await this.options.positions.history(connectionId, collectionId));
  }

  /** Of a job that does not name its host. */
  async hostOf(connectionId: string): Promise<string> {
    const connection = await this.options.connections.find(connectionId);
    return connection && URL.canParse(connection.fhir_base_url) ? new URL(connection.fhir_base_url).host : '';
  }

  /**
   * Collects from where an earlier attempt ended, and reports how it ends. What is kept of a connection that is gone is deleted.
   * @throws the reason of the signal, or what keeps the collection from going on now
   */
  async run(connectionId: string, collectionId: string, signal: AbortSignal): Promise<HostAnswer> {
    const { connections, positions } = this.options;
    const connection = await connections.find(connectionId, { signal });
    if (!connection) await positions.forgetConnection(connectionId);
    if (connection?.collection_id !== collectionId || connection.status !== 'collecting') {
      await positions.settle(collectionId);
      return 'unknown';
    }
    const { attempt, history } = await positions.start(connectionId, collectionId);
    return this.#attempt(connection, attempt, history, signal);
  }

  async #attempt(
    connection: ConnectionForCollection,
    attempt: Attempt,
    history: CollectionHistory,
    signal: AbortSignal,
  ): Promise<HostAnswer> {
    const { positions, log } = this.options;
    const lines = { connectionId: attempt.connectionId, collectionId: attempt.collectionId };
    let isFailed = false;
    try {
      const end = await this.#collect(connection, attempt, history, signal);
      if (end.state === 'completed') log.info(lines, 'collected');
      else log.warn({ ...lines, failure: end.failure, reasons: end.reasons }, 'a collection failed');
      if (end.state === 'completed' || end.failure === 'permanent') await positions.settle(attempt.collectionId);
      else isFailed = end.hasAnswered;
      return end.state === 'completed' || end.hasAnswered ? 'answered' : 'silent';
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AttemptSuperseded) log.info(lines, 'another attempt at the collection took over');
      else if (error instanceof CollectionStale) {
        log.info(lines, 'a newer collection took over, or the connection is gone');
        await positions.forgetCollection(attempt.collectionId);
      } else if (error instanceof NeedsReauthorization) {
        log.info(lines, 'the health system wants the user to connect again');
        await positions.settle(attempt.collectionId);
      } else if (error instanceof ClientNotAccepted) log.error(lines, 'the health system does not accept our client');
      else if (error instanceof IsolatedProcessCrashed) {
        log.error(lines, 'a collection crashed the process that ran it alone');
        await positions.crashedAlone(attempt);
        throw error;
      } else await this.#postpone(attempt, error);
      return 'unknown';
    } finally {
      await positions.end(attempt, isFailed).catch(() => undefined);
    }
  }

  async #collect(
    connection: ConnectionForCollection,
    attempt: Attempt,
    history: CollectionHistory,
    signal: AbortSignal,
  ): Promise<CollectionEnd> {
    if (history.isolatedCrashes >= mostCrashes) return this.#fail(attempt);
    const isLast = history.failedAttempts + 1 >= this.options.mostFailedAttempts;
    if (!isSuspect(history)) return collect(this.options, connection, { attempt, signal, isLast });
    const { settings, log } = this.options;
    return collectIsolated({ settings, logLevel: log.level, connection, attempt, isLast }, signal);
  }

  async #fail({ connectionId, collectionId }: Attempt): Promise<CollectionEnd> {
    const types = ((await this.options.positions.find(collectionId)) ?? []).map(({ progress }) => progress);
    await this.options.connections.report(connectionId, collectionId, {
      state: 'failed',
      failure: 'permanent',
      types,
      error: crashed,
    });
    return { state: 'failed', failure: 'permanent', hasAnswered: true, reasons: crashed };
  }

  /** What nobody expected is tried again later, as a failure of the health system is. @throws what only our own services are to blame for */
  async #postpone({ connectionId, collectionId }: Attempt, error: unknown): Promise<void> {
    if (isOurOwn(error)) throw error;
    const { connections, positions, log } = this.options;
    log.error({ connectionId, collectionId, err: describeError(error) }, unexpected);
    const types = ((await positions.find(collectionId)) ?? []).map(({ progress }) => progress);
    await connections.report(connectionId, collectionId, {
      state: 'failed',
      failure: 'transient',
      types,
      error: unexpected,
    });
  }
}

function isSuspect({ crashes, isIsolated }: CollectionHistory): boolean {
  return crashes >= mostCrashes || isIsolated;
}
