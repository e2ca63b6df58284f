import { setMaxListeners } from 'node:events';
import {
  type BatchSource,
  type ConnectionError,
  type ConnectionForCollection,
  type ConnectionsClient,
  InternalCallError,
  type ResourceOutcome,
  type RecordsClient,
  type RetryPolicy,
  type TypeAccess,
  isServiceUnavailable,
  withRetries,
} from '@tributary/contracts';
import type { AxiosInstance } from 'axios';
import type { Attempt } from '../checkpoints/attempt';
import type { CollectionCheckpoint } from '../checkpoints/checkpoint';
import type { Checkpoints } from '../checkpoints/checkpoints';
import type { CompletedCollections } from '../checkpoints/completed-collections';
import { AccessTokenProvider } from '../health-system/access-token-provider';
import { HealthSystemClient } from '../health-system/health-system-client';
import type { HostRequestLimiter } from '../health-system/host-request-limiter';
import { AddressForbidden, HealthSystemRequestFailed } from '../health-system/request-failures';
import type { ResponseMemoryBudget } from '../health-system/response-memory-budget';
import type { HealthSystemRetryPolicy } from '../health-system/retry-policy';
import { type AttachmentLimits, collectReferences } from './collect-references';
import { collectType } from './collect-type';
import { collectTypes } from './collect-types';
import {
  type CollectionEnd,
  describeGaps,
  everythingRefused,
  hasTemporaryGap,
  missingPatient,
  transientError,
} from './collection-outcome';
import { grantedAccess } from './granted-types';
import { IncludedResources, finishIncluded } from './included-resources';
import { patientUrl } from './plan';
import { planCheckpoints } from './plan-checkpoints';
import { doubtNotFound, emptyProgress, warn } from './progress';
import { type FinalReport, ProgressReporter } from './progress-reporter';
import { noExperience } from './search-fallbacks';
import { countFailedAttempt, hasNoGap, isOpen, wasSearched } from './search-state';
import { readResource } from './searchset';
import { storeInBatches } from './store-batches';
import { TypeFailed, describeFailures } from './type-failed';
import { allows } from './unsearched-types';
import { fullSearchOf } from './verification';
import { fewGone, verifyRecord } from './verify-record';

export interface CollectionDependencies {
  connections: ConnectionsClient;
  records: RecordsClient;
  checkpoints: Checkpoints;
  completed: CompletedCollections;
  http: AxiosInstance;
  limiter: HostRequestLimiter;
  responseMemory: ResponseMemoryBudget;
  attachments: AttachmentLimits;
  /** A type is collected in full when its last full search is older. */
  fullCollectionDays: number;
  retryPolicy: HealthSystemRetryPolicy;
  internalRetryPolicy: RetryPolicy;
  /** The shortest time between two progress reports, in milliseconds. */
  reportIntervalMs: number;
}

export interface CollectionAttempt {
  attempt: Attempt;
  signal: AbortSignal;
  /** The last attempt: what fails now, although the health system responds, fails permanently. */
  isLast: boolean;
}

/** The collection was replaced by a newer one, or its connection or record was deleted: the attempt must stop. */
export class CollectionStale extends Error {}

/**
 * Collects the record of one connection, from the checkpoints of earlier attempts: first every type by search, then
 * what the resources refer to. A later collection verifies in between what the record holds beyond that. At the end
 * fhir-store restores the references that did not resolve. Reports the outcome to user-management. A collection is
 * completed when every type has an outcome, the patient was not refused and at least one search was answered: a type
 * that is refused, or that keeps failing while the health system responds, is a gap.
 * @throws NeedsReauthorization, ClientNotAccepted, CollectionStale, AttemptSuperseded
 * @throws the reason of the signal, or an internal outage (`isInternalOutage`)
 */
export async function collect(
  dependencies: CollectionDependencies,
  connection: ConnectionForCollection,
  attempt: CollectionAttempt,
): Promise<CollectionEnd> {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal); // One listener for each request in progress.
  const stop = (): void => abort.abort(attempt.signal.reason);
  attempt.signal.addEventListener('abort', stop, { once: true });
  try {
    attempt.signal.throwIfAborted();
    return await new Collection(dependencies, connection, attempt.attempt, abort).run(attempt.isLast);
  } catch (error) {
    abort.abort();
    // fhir-store answers 410 when the record was deleted.
    if (error instanceof InternalCallError && error.status === 410) throw new CollectionStale();
    throw error;
  } finally {
    attempt.signal.removeEventListener('abort', stop);
  }
}

/** Most resources refer to these types: they are collected first. */
const collectedFirst = new Set(['Patient', 'Encounter']);
/** The addresses of their attachments can expire: they are collected shortly before the attachments. */
const collectedLast = new Set(['DiagnosticReport', 'DocumentReference', 'Media']);

class Collection {
  readonly #source: BatchSource;
  readonly #client: HealthSystemClient;
  readonly #reporter: ProgressReporter;
  /** By type; also of types that only references lead to. */
  readonly #checkpoints = new Map<string, CollectionCheckpoint>();
  readonly #triedReferences = new Set<string>();
  /** References by type that were answered with 404 or 410 in this attempt. */
  readonly #goneReferences = new Map<string, number>();
  readonly #experience = noExperience();
  /** Ids in the record of what was stored since the last checkpoint, by type. */
  readonly #returned = new Map<string, string[]>();

  constructor(
    private readonly dependencies: CollectionDependencies,
    private readonly connection: ConnectionForCollection,
    private readonly attempt: Attempt,
    private readonly abort: AbortController,
  ) {
    const {
      connection_id: connectionId,
      collection_id: collectionId,
      fhir_base_url: fhirBaseUrl,
      fhirVersion: release,
    } = connection;
    const { connections, internalRetryPolicy, http, limiter, responseMemory, retryPolicy, reportIntervalMs } =
      dependencies;
    const { signal } = abort;
    this.#source = {
      client_id: connection.client_id,
      release,
      health_system_id: connection.health_system_id,
      fhir_base_url: fhirBaseUrl,
    };
    this.#client = new HealthSystemClient({
      connectionId,
      fhirBaseUrl,
      release,
      searchParameters: connection.search_parameters,
      probeUrl: new URL(patientUrl(connection.patient_id), `${fhirBaseUrl.replace(/\/+$/, '')}/`).href,
      token: new AccessTokenProvider(connections, connectionId, internalRetryPolicy, signal),
      signal,
      http,
      limiter,
      responseMemory,
      retryPolicy,
    });
    this.#reporter = new ProgressReporter(
      () => [...this.#checkpoints.values()].map(({ progress }) => progress),
      (report) => connections.report(connectionId, collectionId, report, { signal }),
      reportIntervalMs,
    );
  }

  async run(isLast: boolean): Promise<CollectionEnd> {
    const planned = await this.#resumeOrPlan(isLast);
    if (planned instanceof TypeFailed)
      return planned.isPermanent
        ? this.#failForGood({ code: 'address_forbidden', message: planned.message })
        : this.#failTransiently([planned]);
    for (const checkpoint of planned) this.#checkpoints.set(checkpoint.type, checkpoint);
    const failures = await this.#collectTypes(planned);
    const end = await this.#endBeforeReferences(planned, failures, isLast);
    if (end) return end;
    await this.#verifyRecord();
    const unread = await this.#collectReferences(() => true);
    const lostAccess = unread.find(({ code }) => code === 'access_lost');
    if (lostAccess && isLast) return this.#failForGood({ code: 'access_lost', message: lostAccess.message });
    const isWithoutAccess = unread.some(({ code }) => code === 'access_lost' || code === 'access_postponed');
    const isFinal = isLast && !isWithoutAccess && (await this.#responds([]));
    if (!isFinal && unread.some(({ isPermanent }) => !isPermanent)) return this.#failTransiently(unread);
    for (const { type, code, reason } of unread) warn(this.#checkpointOf(type).progress, code, reason);
    await this.#doubtGoneReferences();
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
    let error = this.#missingPatient();
    if (error) return this.#failForGood(error);
    const responds = failures.length > 0 && (await this.#responds(failures));
    for (const failure of failures) {
      // An error in a successful response shows by itself that the health system responds.
      if (responds || failure.code === 'error_in_response')
        countFailedAttempt(this.#checkpointOf(failure.type), failure);
    }
    if (failures.length > 0) await this.#save(failures.map(({ type }) => this.#checkpointOf(type)));
    if (planned.some(isOpen)) return this.#failTransiently(failures, responds);
    error = this.#missingPatient() ?? everythingRefused(planned);
    return error && this.#failForGood(error);
  }

  /** The patient is missing only if the scopes allow to read it. */
  #missingPatient(): ConnectionError | undefined {
    return allows(this.connection.granted_scope, 'Patient')
      ? missingPatient(this.#checkpointOf('Patient'), this.#checkpoints.values())
      : undefined;
  }

  /** Whether the health system still responds to a request that it has answered before, for other types than these. */
  async #responds(failures: readonly TypeFailed[]): Promise<boolean> {
    const failed = new Set(failures.map(({ type }) => type));
    const answered = [...this.#checkpoints.values()].filter(
      ({ type, search }) => type !== 'Patient' && search.answered !== undefined,
    );
    if (failed.size > 0 && answered.length === 0) return false;
    const search =
      answered.find(({ type }) => !failed.has(type))?.search.answered ?? patientUrl(this.connection.patient_id);
    const read = (body: Buffer): unknown => body.length === 0 || readResource(body);
    const smallSearch = search.replace(/(?<=[?&]_count=)\d+/, '1');
    try {
      await this.#client.get(this.#client.searchUrl(smallSearch), { read });
      return true;
    } catch (error) {
      if (!(error instanceof HealthSystemRequestFailed)) throw error;
      return false;
    }
  }

  /**
   * Collects Patient and Encounter with what they refer to first, so that fhir-store has few unresolved references to
   * remember. Without the patient nothing else is requested.
   */
  async #collectTypes(planned: readonly CollectionCheckpoint[]): Promise<TypeFailed[]> {
    const { fhirVersion: release, fhir_base_url: fhirBaseUrl } = this.connection;
    const open = planned.filter(isOpen);
    const searched = new Set(planned.filter(wasSearched).map(({ type }) => type));
    const included = new IncludedResources(searched);
    const collect = (checkpoints: CollectionCheckpoint[]): Promise<TypeFailed[]> =>
      collectTypes(checkpoints, {
        collect: (checkpoint) =>
          collectType({
            checkpoint,
            release,
            fhirBaseUrl,
            client: this.#client,
            experience: this.#experience,
            progressFor: (key) => {
              const type = included.countingType(checkpoint.type, key);
              return type === undefined ? undefined : this.#checkpointOf(type).progress;
            },
            store: async (resources) => {
              const outcomes = await this.#store(resources);
              if (outcomes.some(hasAttachmentElsewhere)) included.types.add('Binary');
              return outcomes;
            },
            save: () =>
              this.#save([...new Set([checkpoint.type, ...included.types])].map((type) => this.#checkpointOf(type))),
          }),
        responds: (failures) => this.#responds(failures),
        abort: () => this.abort.abort(),
      });
    const failures = await collect(open.filter(({ type }) => collectedFirst.has(type)));
    if (this.#missingPatient()) return failures;
    if (failures.length === 0) await this.#collectReferences((type) => !searched.has(type) && type !== 'Binary');
    const others = open
      .filter(({ type }) => !collectedFirst.has(type))
      .toSorted((one, other) => Number(collectedLast.has(one.type)) - Number(collectedLast.has(other.type)));
    return [...failures, ...(await collect(others))];
  }

  /** A reference that failed is tried again by the next call; a refused one is not. */
  async #collectReferences(isWanted: (type: string) => boolean): Promise<TypeFailed[]> {
    const { connection, dependencies, abort } = this;
    const accessTo = grantedAccess(connection.granted_scope);
    const { signal } = abort;
    return collectReferences({
      release: connection.fhirVersion,
      client: this.#client,
      attachments: dependencies.attachments,
      tried: this.#triedReferences,
      gone: this.#goneReferences,
      isWanted: (type) => isWanted(type) && this.#isReadable(type, accessTo(type)),
      unresolved: (after) =>
        this.#withRetries(() =>
          dependencies.records.unresolvedReferences(connection.service_user_id, this.#source, after, { signal }),
        ),
      store: (resources) => this.#store(resources),
      progressOf: (type) => this.#checkpointOf(type).progress,
      expired: () => this.#readAgain(collectedLast),
      save: (types) => this.#save(types.map((type) => this.#checkpointOf(type))),
    });
  }

  /** A health system of which nothing of a type was ever read may have moved it, or not offer it to us. */
  async #doubtGoneReferences(): Promise<void> {
    const { connection, dependencies, abort } = this;
    for (const [type, gone] of this.#goneReferences) {
      const { progress } = this.#checkpointOf(type);
      if (gone <= fewGone || progress.fetched > 0) continue;
      const { references } = await this.#withRetries(() =>
        dependencies.records.sourceReferences(
          connection.service_user_id,
          this.#source,
          { type, without: [] },
          undefined,
          { signal: abort.signal },
        ),
      );
      if (references.length === 0) doubtNotFound(progress);
    }
  }

  /** A type that is granted for searching only is reported once a reference leads to it. */
  #isReadable(type: string, { read, search }: TypeAccess): boolean {
    if (!read && search)
      warn(
        this.#checkpointOf(type).progress,
        'granted_in_part',
        `the granted scopes allow to search for ${type}, but not to read what only references lead to`,
      );
    return read;
  }

  /** Lets the next collection read types in full. Those that are not planned are not concerned. */
  async #readAgain(types: ReadonlySet<string>): Promise<void> {
    const complete = [...types].flatMap((type) => this.#checkpoints.get(type) ?? []).filter(hasNoGap);
    for (const { search } of complete) search.isIncomplete = true;
    if (complete.length > 0) await this.#save(complete);
  }

  async #verifyRecord(): Promise<void> {
    const { connection, dependencies, attempt, abort } = this;
    const { records, checkpoints, attachments } = dependencies;
    const accessTo = grantedAccess(connection.granted_scope);
    const user = connection.service_user_id;
    const { signal } = abort;
    await verifyRecord({
      release: connection.fhirVersion,
      patientId: connection.patient_id,
      client: this.#client,
      attachments,
      checkpoints: [...this.#checkpoints.values()],
      isReadable: (type) => accessTo(type).read,
      returnedIds: (type) => checkpoints.returnedIds(attempt.collectionId, type),
      held: (wanted, after) =>
        this.#withRetries(() => records.sourceReferences(user, this.#source, wanted, after, { signal })),
      store: (resources) => this.#store(resources),
      deleteResources: async (deletions) => {
        const deleted = await this.#withRetries(() =>
          records.deleteFromSource(user, this.#source, deletions, { signal }),
        );
        return deleted.results;
      },
      save: (checkpoint) => this.#save([checkpoint]),
    });
  }

  async #complete(): Promise<CollectionEnd> {
    await this.#resolveReferences();
    const included = finishIncluded([...this.#checkpoints.values()]);
    if (included.length > 0) await this.#save(included);
    const all = [...this.#checkpoints.values()];
    await this.dependencies.completed.add(this.attempt, {
      searches: all.filter(hasNoGap).map(fullSearchOf),
      isFull: all.every(({ progress }) => progress.read !== 'changes'),
      hasTemporaryGap: all.some(({ progress }) => hasTemporaryGap(progress)),
    });
    await this.#report({ state: 'completed' });
    return { state: 'completed', gaps: describeGaps(this.#checkpoints.values()) };
  }

  /** The collection is repeated later. @param responds to others of our requests: the attempt counts as failed */
  async #failTransiently(
    failures: readonly TypeFailed[],
    responds = this.#client.hasResponded,
  ): Promise<CollectionEnd> {
    const reasons = describeFailures(failures);
    const retryAfterMs = Math.max(0, ...failures.map((failed) => failed.retryAfterMs ?? 0));
    await this.#report({
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
    await this.#resolveReferences();
    await this.#report({ state: 'failed', failure: 'permanent', error });
    return {
      state: 'failed',
      failure: 'permanent',
      hasResponded: this.#client.hasResponded,
      isCounted: true,
      reasons: error.message,
    };
  }

  async #resolveReferences(): Promise<void> {
    const { connection, dependencies, abort } = this;
    await this.#withRetries(() =>
      dependencies.records.resolveReferences(connection.service_user_id, this.#source, { signal: abort.signal }),
    );
  }

  async #report(report: FinalReport): Promise<void> {
    if (!(await this.#withRetries(() => this.#reporter.finish(report)))) throw new CollectionStale();
  }

  /** The checkpoints of an earlier attempt or of a new plan, or why collecting cannot start. */
  async #resumeOrPlan(isLast: boolean): Promise<CollectionCheckpoint[] | TypeFailed> {
    const { checkpoints } = this.dependencies;
    try {
      return (await checkpoints.find(this.connection.collection_id)) ?? (await this.#plan(isLast));
    } catch (error) {
      if (error instanceof AddressForbidden) return TypeFailed.afterRequest('metadata', error);
      if (error instanceof TypeFailed) return error;
      throw error;
    }
  }

  async #plan(isLast: boolean): Promise<CollectionCheckpoint[]> {
    const { connection, dependencies } = this;
    const { checkpoints, completed, fullCollectionDays } = dependencies;
    const days = connection.is_full_requested ? 0 : fullCollectionDays;
    const earlier = await completed.find(connection.connection_id, days);
    const planned = await planCheckpoints(this.#client, connection, earlier, isLast);
    await checkpoints.plan(this.attempt, planned);
    return planned;
  }

  #store(resources: string[]): Promise<ResourceOutcome[]> {
    const { connection, dependencies, abort } = this;
    const { signal } = abort;
    return storeInBatches(resources, async (ndjson) => {
      const { results } = await this.#withRetries(() =>
        dependencies.records.storeBatch(connection.service_user_id, this.#source, ndjson, { signal }),
      );
      this.#noteReturned(results);
      if (results.some(hasAttachmentElsewhere))
        warn(this.#checkpointOf('Binary').progress, 'attachment_at_other_host', 'an attachment is at another host');
      return results;
    });
  }

  /** Only a later collection compares what was returned with the record. */
  #noteReturned(outcomes: readonly ResourceOutcome[]): void {
    const isLater = [...this.#checkpoints.values()].some(({ search }) => search.verification);
    for (const { id, type, source_id: sourceId } of isLater ? outcomes : []) {
      if (id === undefined || type === undefined) continue;
      const ids = this.#returned.get(type) ?? [];
      ids.push(id);
      this.#returned.set(type, ids);
      const verification = this.#checkpoints.get(type)?.search.verification;
      // The id of an attachment can be an address.
      if (verification && sourceId?.includes('/') === false) verification.example ??= `${type}/${sourceId}`;
    }
  }

  async #save(checkpoints: CollectionCheckpoint[]): Promise<void> {
    // Concurrent saves lock the rows that they share in the same order.
    const ordered = checkpoints.toSorted((one, other) => (one.type < other.type ? -1 : 1));
    const returned = new Map(this.#returned);
    this.#returned.clear();
    await this.dependencies.checkpoints.save(this.attempt, ordered, returned);
    this.abort.signal.throwIfAborted();
    this.#reporter.reportIfDue();
    if (this.#reporter.isStale) throw new CollectionStale();
  }

  #checkpointOf(type: string): CollectionCheckpoint {
    const known = this.#checkpoints.get(type);
    if (known) return known;
    const created = { type, search: { remaining: [] }, progress: emptyProgress(type, 'references') };
    this.#checkpoints.set(type, created);
    return created;
  }

  #withRetries<T>(call: () => Promise<T>): Promise<T> {
    const { signal } = this.abort;
    return withRetries(this.dependencies.internalRetryPolicy, call, { isRetryable: isServiceUnavailable, signal });
  }
}

function hasAttachmentElsewhere({ attachments_elsewhere: count = 0 }: ResourceOutcome): boolean {
  return count > 0;
}
