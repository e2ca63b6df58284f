import { setMaxListeners } from 'node:events';
import {
  type ConnectionError,
  type ConnectionForCollection,
  InternalCallError,
  withoutFinalSlash,
} from '@tributary/contracts';
import type { GuardedHttp } from '@tributary/outbound';
import type { Attempt } from '../checkpoints/attempt';
import { type CollectionCheckpoint, hasNoGap, isOpen, wasSearched } from '../checkpoints/checkpoint';
import type { CompletedCollections } from '../checkpoints/completed-collections';
import { warn } from '../checkpoints/progress';
import { AccessTokenProvider } from '../health-system/access-token-provider';
import { HealthSystemClient } from '../health-system/health-system-client';
import type { HostRequestLimiter } from '../health-system/host-request-limiter';
import { AddressForbidden } from '../health-system/request-failures';
import type { ResponseMemoryBudget } from '../health-system/response-memory-budget';
import type { HealthSystemRetryPolicy } from '../health-system/retry-policy';
import { TypeFailed } from '../health-system/type-failed';
import { CollectedRecord, type RecordDependencies } from './record/collected-record';
import { noteEndedAttempt } from './record/created-resources';
import { CollectionStale } from './record/progress-reporter';
import { patientUrl } from './plan/plan';
import { planCheckpoints } from './plan/plan-checkpoints';
import { stillResponds } from './plan/responds';
import { allows } from './plan/unsearched-types';
import { collectType, collectTypes } from './search/collect-type';
import { IncludedResources, finishIncluded } from './search/included-resources';
import { noAcceptedForms } from './search/search-fallbacks';
import { countFailedAttempt } from './search/search-state';
import {
  type AttachmentLimits,
  type ReferenceCollection,
  collectReferences,
  markGoneUncertain,
} from './references/collect-references';
import { reconcileDeletions } from './reconcile/reconcile-deletions';
import {
  type CollectionEnd,
  describeFailures,
  describeGaps,
  everythingRefused,
  fullSearchOf,
  hasTemporaryGap,
  missingPatient,
  transientError,
} from './outcome/collection-outcome';

export interface CollectionDependencies extends RecordDependencies {
  completed: CompletedCollections;
  http: GuardedHttp;
  limiter: HostRequestLimiter;
  responseMemory: ResponseMemoryBudget;
  attachments: AttachmentLimits;
  /** A type is collected in full when its last full search is older. */
  fullCollectionDays: number;
  retryPolicy: HealthSystemRetryPolicy;
}

export interface CollectionAttempt {
  attempt: Attempt;
  signal: AbortSignal;
  /** The last attempt: what fails now, although the health system responds, fails permanently. */
  isLast: boolean;
}

/**
 * Collects the record of one connection, from the checkpoints of earlier attempts: first every type by search, then
 * what the resources refer to. A later collection verifies in between what the record holds beyond that. At the end
 * fhir-store restores the references that did not resolve. Reports the outcome to user-management. A collection is
 * completed when every type has an outcome, the patient was not refused and at least one search was answered: a type
 * that is refused, or that keeps failing while the health system responds, is a gap.
 * @throws NeedsReauthorization, ConsentEnded, ClientNotAccepted, HealthSystemPaused, CollectionStale,
 * AttemptSuperseded
 * @throws the reason of the signal, or an internal outage (`isInternalOutage`)
 */
export async function collect(
  dependencies: CollectionDependencies,
  connection: ConnectionForCollection,
  attempt: CollectionAttempt,
): Promise<CollectionEnd> {
  const abort = new AbortController();
  const signal = AbortSignal.any([attempt.signal, abort.signal]);
  setMaxListeners(0, signal); // One listener for each request in progress.
  try {
    signal.throwIfAborted();
    return await new Collection(dependencies, connection, attempt.attempt, signal, () => abort.abort()).run(
      attempt.isLast,
    );
  } catch (error) {
    abort.abort();
    // fhir-store answers 410 when the record was deleted.
    if (error instanceof InternalCallError && error.status === 410) throw new CollectionStale();
    throw error;
  }
}

/** Most resources refer to these types: they are collected first. */
const collectedFirst = new Set(['Patient', 'Encounter']);
/** The addresses of their attachments can expire: they are collected shortly before the attachments. */
const collectedLast = new Set(['DiagnosticReport', 'DocumentReference', 'Media']);

class Collection {
  readonly #client: HealthSystemClient;
  readonly #record: CollectedRecord;
  readonly #references: ReferenceCollection;
  readonly #acceptedForms = noAcceptedForms();

  constructor(
    private readonly dependencies: CollectionDependencies,
    private readonly connection: ConnectionForCollection,
    private readonly attempt: Attempt,
    signal: AbortSignal,
    private readonly abort: () => void,
  ) {
    const { connection_id: connectionId, fhir_base_url: fhirBaseUrl, fhirVersion: release } = connection;
    const { connections, internalRetryPolicy, http, limiter, responseMemory, retryPolicy } = dependencies;
    this.#record = new CollectedRecord(dependencies, connection, attempt, signal);
    this.#client = new HealthSystemClient({
      connectionId,
      fhirBaseUrl,
      release,
      searchParameters: connection.search_parameters,
      probeUrl: new URL(patientUrl(connection.patient_id), `${withoutFinalSlash(fhirBaseUrl)}/`).href,
      token: new AccessTokenProvider(connections, connectionId, internalRetryPolicy, signal),
      signal,
      http,
      limiter,
      responseMemory,
      retryPolicy,
    });
    this.#references = {
      client: this.#client,
      record: this.#record,
      attachments: dependencies.attachments,
      addressesExpireOf: collectedLast,
      tried: new Set(),
      gone: new Map(),
    };
  }

  async run(isLast: boolean): Promise<CollectionEnd> {
    const planned = await this.#resumeOrPlan();
    if (planned instanceof TypeFailed)
      return planned.isPermanent
        ? this.#failForGood({ code: 'address_forbidden', message: planned.message })
        : this.#failTransiently([planned], false);
    this.#record.begin(planned);
    const failures = await this.#collectTypes(planned);
    const end = await this.#endBeforeReferences(planned, failures, isLast);
    if (end) return end;
    await reconcileDeletions(this.#references);
    const unread = await collectReferences(this.#references, () => true);
    const lostAccess = unread.find(({ code }) => code === 'access_lost');
    if (lostAccess && isLast) return this.#failForGood({ code: 'access_lost', message: lostAccess.message });
    const isWithoutAccess = unread.some(({ code }) => code === 'access_lost' || code === 'access_postponed');
    const isFinal = isLast && !isWithoutAccess && (await this.#responds([]));
    if (!isFinal && unread.some(({ isPermanent }) => !isPermanent)) return this.#failTransiently(unread);
    for (const { type, code, reason } of unread) warn(this.#record.checkpointOf(type).progress, code, reason);
    await markGoneUncertain(this.#references);
    return this.#complete();
  }

  /**
   * Ends an attempt that cannot complete. It is repeated without limit while the health system as a whole does not
   * respond. A type that keeps failing while others are answered ends as failed, and does not keep the collection from
   * completing.
   */
  async #endBeforeReferences(
    planned: readonly CollectionCheckpoint[],
    failures: readonly TypeFailed[],
    isLast: boolean,
  ): Promise<CollectionEnd | undefined> {
    const lostAccess = failures.find(({ code }) => code === 'access_lost');
    if (lostAccess && isLast) return this.#failForGood({ code: 'access_lost', message: lostAccess.message });
    if (lostAccess) return this.#failTransiently([lostAccess]);
    const withoutAccess = failures.filter(({ code }) => code === 'access_postponed');
    if (withoutAccess.length > 0) return this.#failTransiently(withoutAccess);
    const responds = failures.length > 0 && (await this.#responds(failures));
    for (const failure of failures) {
      // An error in a successful response shows by itself that the health system responds.
      if (responds || failure.code === 'error_in_response')
        countFailedAttempt(this.#record.checkpointOf(failure.type), failure);
    }
    if (failures.length > 0) await this.#record.save(failures.map(({ type }) => type));
    if (planned.some(isOpen)) return this.#failTransiently(failures, responds);
    const error = this.#missingPatient() ?? everythingRefused(planned);
    return error && this.#failForGood(error);
  }

  /** The patient is missing only if the scopes allow to read it. */
  #missingPatient(): ConnectionError | undefined {
    return allows(this.connection.granted_scope, 'Patient')
      ? missingPatient(this.#record.checkpointOf('Patient'), this.#record.checkpoints)
      : undefined;
  }

  /** Whether the health system still responds to a request for other types than these. */
  #responds(failures: readonly TypeFailed[]): Promise<boolean> {
    return stillResponds(this.#client, this.#record.checkpoints, this.connection.patient_id, failures);
  }

  /**
   * Collects Patient and Encounter with what they refer to first, so that fhir-store has few unresolved references to
   * remember.
   */
  async #collectTypes(planned: readonly CollectionCheckpoint[]): Promise<TypeFailed[]> {
    const open = planned.filter(isOpen);
    const searched = new Set(planned.filter(wasSearched).map(({ type }) => type));
    const included = new IncludedResources(searched);
    const collect = (checkpoints: CollectionCheckpoint[]): Promise<TypeFailed[]> =>
      collectTypes(
        checkpoints,
        (checkpoint) =>
          collectType({
            checkpoint,
            client: this.#client,
            record: this.#record,
            acceptedForms: this.#acceptedForms,
            included,
          }),
        (failures) => this.#responds(failures),
        this.abort,
      );
    const failures = await collect(open.filter(({ type }) => collectedFirst.has(type)));
    if (failures.length === 0)
      await collectReferences(this.#references, (type) => !searched.has(type) && type !== 'Binary');
    const others = open
      .filter(({ type }) => !collectedFirst.has(type))
      .toSorted((one, other) => Number(collectedLast.has(one.type)) - Number(collectedLast.has(other.type)));
    return [...failures, ...(await collect(others))];
  }

  async #complete(): Promise<CollectionEnd> {
    await this.#record.resolveReferences();
    const included = finishIncluded(this.#record.checkpoints);
    if (included.length > 0) await this.#record.save(included.map(({ type }) => type));
    const all = this.#record.checkpoints;
    await this.dependencies.completed.add(this.attempt, {
      searches: all.filter(hasNoGap).map(fullSearchOf),
      isFull: all.every(({ progress }) => progress.read !== 'changes'),
      hasTemporaryGap: all.some(({ progress }) => hasTemporaryGap(progress)),
    });
    await this.#record.report({ state: 'completed' });
    return { state: 'completed', gaps: describeGaps(this.#record.checkpoints) };
  }

  /** The collection is repeated later. @param responds to others of our requests: the attempt counts as failed */
  async #failTransiently(
    failures: readonly TypeFailed[],
    responds = this.#client.hasResponded,
  ): Promise<CollectionEnd> {
    const reasons = describeFailures(failures);
    const retryAfterMs = Math.max(0, ...failures.map((failed) => failed.retryAfterMs ?? 0));
    await this.#record.report({
      state: 'failed',
      failure: 'transient',
      error: transientError(failures, responds, reasons),
      ...(retryAfterMs > 0 ? { retry_after_seconds: Math.ceil(retryAfterMs / 1000) } : {}),
    });
    return {
      state: 'failed',
      failure: 'transient',
      hasResponded: this.#client.hasResponded,
      isCounted: responds,
      reasons,
    };
  }

  async #failForGood(error: ConnectionError): Promise<CollectionEnd> {
    await this.#record.resolveReferences();
    await this.#record.report({ state: 'failed', failure: 'permanent', error });
    return {
      state: 'failed',
      failure: 'permanent',
      hasResponded: this.#client.hasResponded,
      isCounted: true,
      reasons: error.message,
    };
  }

  /** The checkpoints of an earlier attempt or of a new plan, or why collecting cannot start. */
  async #resumeOrPlan(): Promise<CollectionCheckpoint[] | TypeFailed> {
    const { checkpoints } = this.dependencies;
    try {
      const planned = await checkpoints.find(this.connection.collection_id);
      if (!planned) return await this.#plan();
      noteEndedAttempt(planned, await this.#record.now());
      return planned;
    } catch (error) {
      if (error instanceof AddressForbidden) return TypeFailed.afterRequest('metadata', error);
      if (error instanceof TypeFailed) return error;
      throw error;
    }
  }

  async #plan(): Promise<CollectionCheckpoint[]> {
    const { connection, dependencies } = this;
    const { checkpoints, completed, fullCollectionDays } = dependencies;
    const days = connection.is_full_requested ? 0 : fullCollectionDays;
    const earlier = await completed.find(connection.connection_id, days);
    const planned = await planCheckpoints(this.#client, connection, earlier);
    const createdUntil = await this.#record.now();
    for (const { search } of planned) search.createdUntil = createdUntil;
    await checkpoints.plan(this.attempt, planned);
    return planned;
  }
}
