import { setMaxListeners } from 'node:events';
import {
  type BatchSource,
  type CollectionFailure,
  type ConnectionForCollection,
  type ConnectionsClient,
  InternalCallError,
  type ResourceOutcome,
  type RecordsClient,
} from '@tributary/contracts';
import type { AxiosInstance } from 'axios';
import type { AttachmentLimits } from '../attachments/attachment-limits';
import { AccessToken } from '../health-system/access-token';
import type { AnswerBudget } from '../health-system/answer-budget';
import { HealthSystemClient } from '../health-system/health-system-client';
import { AddressForbidden, HealthSystemUnreachable } from '../health-system/health-system-unreachable';
import type { HostLimits } from '../health-system/host-limits';
import type { Patience } from '../health-system/patience';
import { type OwnPatience, type Patiently, patiently } from '../own-services/patiently';
import type { Attempt } from '../positions/attempt';
import type { Position, Positions } from '../positions/positions';
import { type Capabilities, readCapabilities } from './capabilities';
import { collectReferences } from './collect-references';
import { collectType } from './collect-type';
import { collectTypes } from './collect-types';
import { grantedTypes } from './granted-types';
import { PageFailed } from './page-failed';
import { reasonsOf } from './reasons';
import { patientRead, planCollection } from './plan';
import { emptyProgress, warn } from './progress';
import { type EndOfCollection, ProgressReporter } from './progress-reporter';
import { storeInBatches } from './store-lines';

export interface CollectionDependencies {
  connections: ConnectionsClient;
  records: RecordsClient;
  positions: Positions;
  http: AxiosInstance;
  limits: HostLimits;
  answers: AnswerBudget;
  attachments: AttachmentLimits;
  patience: Patience;
  ownPatience: OwnPatience;
  /** The least time between two reports of progress, in milliseconds. */
  reportEveryMs: number;
}

export interface CollectionAttempt {
  attempt: Attempt;
  signal: AbortSignal;
  /** A part that fails now although the health system answers other requests has failed for good. */
  isLast: boolean;
}

/** How an attempt ended, as was reported. */
export type CollectionEnd = { state: 'completed' } | FailedEnd;

export interface FailedEnd {
  state: 'failed';
  /** After a transient failure the next attempt goes on where this one ended. */
  failure: CollectionFailure;
  /** Whether the health system answered any request of this attempt. */
  hasAnswered: boolean;
  /** Names types, never values. */
  reasons: string;
}

/** The collection was replaced by a newer one, or its connection or record forgotten: nothing more is to be done. */
export class CollectionStale extends Error {}

/**
 * Collects one connection's record, from where an earlier attempt stopped. Types go side by side; then what they refer to; then references that lead nowhere
 * get their source form back. A collection with a part that could not be had never ends as completed.
 * Its end is reported to user-management.
 * @throws NeedsReauthorization, ClientNotAccepted, CollectionStale, AttemptSuperseded, the reason of the signal, or whatever keeps the
 *   collection from going on now
 */
export async function collect(
  dependencies: CollectionDependencies,
  connection: ConnectionForCollection,
  attempt: CollectionAttempt,
): Promise<CollectionEnd> {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal); // One for each request under way.
  const stop = (): void => abort.abort(attempt.signal.reason);
  attempt.signal.addEventListener('abort', stop, { once: true });
  try {
    attempt.signal.throwIfAborted();
    return await new Collection(dependencies, connection, attempt.attempt, abort).run(attempt.isLast);
  } catch (error) {
    abort.abort();
    if (error instanceof InternalCallError && error.status === 410) throw new CollectionStale();
    throw error;
  } finally {
    attempt.signal.removeEventListener('abort', stop);
  }
}

const referredToMost = new Set(['Patient', 'Encounter']);

class Collection {
  readonly #source: BatchSource;
  readonly #client: HealthSystemClient;
  readonly #patiently: Patiently;
  readonly #reporter: ProgressReporter;
  /** Where each type stands, those included that only references bring. */
  readonly #positions = new Map<string, Position>();
  readonly #triedReferences = new Set<string>();

  constructor(
    private readonly on: CollectionDependencies,
    private readonly connection: ConnectionForCollection,
    private readonly attempt: Attempt,
    private readonly abort: AbortController,
  ) {
    const {
      connection_id: connectionId,
      collection_id: collectionId,
      fhir_base_url: fhirBaseUrl,
      fhirVersion: release,
      patient_id: patientId,
    } = connection;
    const { signal } = abort;
    this.#source = {
      client_id: connection.client_id,
      release,
      health_system_id: connection.health_system_id,
      fhir_base_url: fhirBaseUrl,
    };
    this.#patiently = patiently(on.ownPatience, signal);
    const token = new AccessToken(on.connections, connectionId, this.#patiently, signal);
    const proof = new URL(patientRead(patientId), `${fhirBaseUrl.replace(/\/+$/, '')}/`).href;
    this.#client = new HealthSystemClient({
      connectionId,
      fhirBaseUrl,
      release,
      proof,
      token,
      signal,
      http: on.http,
      limits: on.limits,
      answers: on.answers,
      patience: on.patience,
    });
    this.#reporter = new ProgressReporter(
      () => [...this.#positions.values()].map(({ progress }) => progress),
      (report) => on.connections.report(connectionId, collectionId, report, { signal }),
      on.reportEveryMs,
    );
  }

  async run(isLast: boolean): Promise<CollectionEnd> {
    const begun = await this.#begun(isLast);
    if (begun instanceof PageFailed) return begun.lasting ? this.#finish([begun]) : this.#postpone([begun]);
    for (const position of begun) this.#positions.set(position.type, position);
    const failures = await this.#collectTypes(begun);
    if (await this.#isWorthAnother(failures, isLast)) return this.#postpone(failures);
    const unreached = await this.#collectReferences(() => true);
    const isFinal = isLast && (await this.#client.probe());
    if (!isFinal && unreached.some(({ lasting }) => !lasting)) return this.#postpone([...failures, ...unreached]);
    for (const { type, reason } of [...failures, ...unreached]) warn(this.#positionOf(type).progress, reason);
    // A single resource that cannot be had leaves the types whole; an access that is lost does not.
    return this.#finish([...failures, ...unreached.filter(({ status }) => status === 401)]);
  }

  /** A health system that answers nothing may be away for long. One that answers, but never for some part, has its last attempt. */
  async #isWorthAnother(failures: readonly PageFailed[], isLast: boolean): Promise<boolean> {
    const passing = failures.filter(({ lasting }) => !lasting);
    if (passing.length === 0) return false;
    if (passing.some(({ status }) => isOutage(status))) return true;
    const isAnswering = await this.#client.probe();
    return !isLast || !isAnswering;
  }

  /** What most resources refer to comes first, with its surroundings, so that the store need not remember who waits for it. */
  async #collectTypes(begun: readonly Position[]): Promise<PageFailed[]> {
    const { fhirVersion: release, fhir_base_url: fhirBaseUrl } = this.connection;
    const open = begun.filter(({ progress }) => !progress.done);
    const searched = new Set(begun.map(({ type }) => type));
    const collect = (positions: Position[]): Promise<PageFailed[]> =>
      collectTypes(
        positions,
        (position) =>
          collectType({
            position,
            release,
            fhirBaseUrl,
            client: this.#client,
            store: (lines) => this.#store(lines),
            save: (saved) => this.#save([saved]),
          }),
        () => this.abort.abort(),
      );
    const failures = await collect(open.filter(({ type }) => referredToMost.has(type)));
    if (failures.length === 0) await this.#collectReferences((type) => !searched.has(type) && type !== 'Binary');
    return [...failures, ...(await collect(open.filter(({ type }) => !referredToMost.has(type))))];
  }

  /** What cannot be reached now may be tried again by the next call; what was refused is not. */
  async #collectReferences(isWanted: (type: string) => boolean): Promise<PageFailed[]> {
    const { connection, on, abort } = this;
    const granted = grantedTypes(connection.granted_scope);
    return collectReferences({
      release: connection.fhirVersion,
      client: this.#client,
      attachments: on.attachments,
      tried: this.#triedReferences,
      isWanted: (type) => isWanted(type) && (!granted || granted.has(type)),
      awaited: (after) =>
        this.#patiently(() =>
          on.records.unresolvedReferences(connection.service_user_id, this.#source, after, { signal: abort.signal }),
        ),
      store: (lines) => this.#store(lines),
      progressOf: (type) => this.#positionOf(type).progress,
      save: (types) => this.#save(types.map((type) => this.#positionOf(type))),
    });
  }

  async #finish(failures: PageFailed[]): Promise<CollectionEnd> {
    const { connection, on, abort, attempt } = this;
    await this.#patiently(() =>
      on.records.resolveReferences(connection.service_user_id, this.#source, { signal: abort.signal }),
    );
    if (failures.length > 0) return this.#fail('permanent', failures);
    await on.positions.complete(attempt);
    await this.#report({ state: 'completed' });
    return { state: 'completed' };
  }

  /** Leaves the rest to a later attempt, from where each type stands. */
  #postpone(failures: readonly PageFailed[]): Promise<CollectionEnd> {
    return this.#fail('transient', failures);
  }

  async #fail(failure: CollectionFailure, failures: readonly PageFailed[]): Promise<CollectionEnd> {
    const reasons = reasonsOf(failures);
    const retryAfterMs = Math.max(0, ...failures.map((failed) => failed.retryAfterMs ?? 0));
    const pause =
      failure === 'transient' && retryAfterMs > 0 ? { retry_after_seconds: Math.ceil(retryAfterMs / 1000) } : {};
    await this.#report({ state: 'failed', failure, error: reasons, ...pause });
    return { state: 'failed', failure, hasAnswered: this.#client.hasAnswered, reasons };
  }

  async #report(end: EndOfCollection): Promise<void> {
    if (!(await this.#patiently(() => this.#reporter.finish(end)))) throw new CollectionStale();
  }

  /** Where each type stands, or why there is no sense in asking for any. */
  async #begun(isLast: boolean): Promise<Position[] | PageFailed> {
    try {
      return (await this.on.positions.find(this.connection.collection_id)) ?? (await this.#begin(isLast));
    } catch (error) {
      if (error instanceof AddressForbidden) return PageFailed.unreachable('metadata', error);
      if (error instanceof PageFailed) return error;
      throw error;
    }
  }

  async #begin(isLast: boolean): Promise<Position[]> {
    const { connection, on } = this;
    const plans = planCollection({
      release: connection.fhirVersion,
      patientId: connection.patient_id,
      grantedScope: connection.granted_scope,
      capabilities: await this.#capabilities(isLast),
      earlier: await on.positions.earlier(connection.connection_id),
    });
    const begun = plans.map(({ type, searches }): Position => ({
      type,
      cursor: { searches },
      progress: emptyProgress(type),
    }));
    await on.positions.plan(this.attempt, begun);
    return begun;
  }

  /** Undefined when the health system does not say: then every type is asked for. */
  async #capabilities(isLast: boolean): Promise<Capabilities | undefined> {
    try {
      const answer = await this.#client.get(this.#client.addressOf('metadata'), { read: readCapabilities });
      return answer.ok ? answer.value : undefined;
    } catch (error) {
      if (!(error instanceof HealthSystemUnreachable) || error instanceof AddressForbidden) throw error;
      if (!error.lasting && !isLast) throw PageFailed.unreachable('metadata', error);
      return undefined;
    }
  }

  #store(lines: string[]): Promise<ResourceOutcome[]> {
    const { connection, on, abort } = this;
    const { signal } = abort;
    return storeInBatches(
      lines,
      async (ndjson) =>
        (
          await this.#patiently(() =>
            on.records.storeBatch(connection.service_user_id, this.#source, ndjson, { signal }),
          )
        ).results,
    );
  }

  async #save(positions: Position[]): Promise<void> {
    await this.on.positions.save(this.attempt, positions);
    this.abort.signal.throwIfAborted();
    this.#reporter.touch();
    if (this.#reporter.isStale) throw new CollectionStale();
  }

  #positionOf(type: string): Position {
    const known = this.#positions.get(type);
    if (known) return known;
    const made: Position = { type, cursor: { searches: [] }, progress: { ...emptyProgress(type), done: true } };
    this.#positions.set(type, made);
    return made;
  }
}

/** No answer, too many requests, or one of the statuses of a server or gateway that is overloaded or down. */
function isOutage(status: number | undefined): boolean {
  return status !== undefined && [0, 408, 429, 502, 503, 504].includes(status);
}
