import { setMaxListeners } from 'node:events';
import {
  type BatchSource,
  type CollectionFailure,
  type ConnectionErrorCode,
  type ConnectionForCollection,
  type ConnectionsClient,
  InternalCallError,
  type ResourceOutcome,
  type RecordsClient,
  type RetryPolicy,
  type TypeAccess,
  type TypeProgress,
  isServiceUnavailable,
  withRetries,
} from '@tributary/contracts';
import type { AxiosInstance } from 'axios';
import type { Attempt } from '../checkpoints/attempt';
import { type Checkpoints, type CollectionCheckpoint, isComplete } from '../checkpoints/checkpoints';
import { AccessTokenProvider } from '../health-system/access-token-provider';
import { HealthSystemClient } from '../health-system/health-system-client';
import type { HostRequestLimiter } from '../health-system/host-request-limiter';
import { AddressForbidden, HealthSystemRequestFailed } from '../health-system/request-failures';
import type { ResponseMemoryBudget } from '../health-system/response-memory-budget';
import { type HealthSystemRetryPolicy, isOutage } from '../health-system/retry-policy';
import { type Capabilities, readCapabilities } from './capabilities';
import { type AttachmentLimits, collectReferences } from './collect-references';
import { collectType } from './collect-type';
import { collectTypes } from './collect-types';
import { grantedAccess } from './granted-types';
import { IncludedResources, finishIncluded } from './included-resources';
import { type TypePlan, patientUrl, planCollection } from './plan';
import { emptyProgress, warn } from './progress';
import { type FinalReport, ProgressReporter } from './progress-reporter';
import { noExperience } from './search-fallbacks';
import { storeInBatches } from './store-batches';
import { TypeFailed, describeFailures } from './type-failed';
import { fullSearchOf, incrementalTypes, planVerification } from './verification';
import { verifyRecord } from './verify-record';

export interface CollectionDependencies {
  connections: ConnectionsClient;
  records: RecordsClient;
  checkpoints: Checkpoints;
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

/** The outcome of an attempt, as reported to user-management. */
export type CollectionEnd = { state: 'completed' } | FailedEnd;

export interface FailedEnd {
  state: 'failed';
  /** After a transient failure the next attempt continues from the checkpoints. */
  failure: CollectionFailure;
  /** Whether the health system responded to any request of this attempt. */
  hasResponded: boolean;
  /** Names resource types, never values. */
  reasons: string;
}

/** The collection was replaced by a newer one, or its connection or record was deleted: the attempt must stop. */
export class CollectionStale extends Error {}

/**
 * Collects the record of one connection, from the checkpoints of earlier attempts: first every type by search, then
 * what the resources refer to. A later collection verifies in between what the record holds beyond that. At the end
 * fhir-store restores the references that did not resolve. Reports the outcome to user-management. A collection with a part that could not be read never ends as completed.
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
      return planned.isPermanent ? this.#finish([planned]) : this.#fail('transient', [planned]);
    for (const checkpoint of planned) this.#checkpoints.set(checkpoint.type, checkpoint);
    const failures = await this.#collectTypes(planned.filter(({ search }) => !search.verification?.isReferred));
    if (await this.#shouldRetryLater(failures, isLast)) return this.#fail('transient', failures);
    await this.#verifyRecord();
    const unread = await this.#collectReferences(() => true);
    const isFinal = isLast && (await this.#client.probe());
    if (!isFinal && unread.some(({ isPermanent }) => !isPermanent))
      return this.#fail('transient', [...failures, ...unread]);
    for (const { type, code, reason } of [...failures, ...unread])
      warn(this.#checkpointOf(type).progress, code, reason);
    const included = finishIncluded([...this.#checkpoints.values()]);
    if (included.length > 0) await this.#save(included);
    // A single resource that cannot be read leaves its type complete; a lost access (401) does not.
    return this.#finish([...failures, ...unread.filter(({ status }) => status === 401)]);
  }

  /**
   * Retries without limit while the health system as a whole does not respond; a type that alone fails has its last
   * attempt.
   */
  async #shouldRetryLater(failures: readonly TypeFailed[], isLast: boolean): Promise<boolean> {
    const transient = failures.filter(({ isPermanent }) => !isPermanent);
    if (transient.length === 0) return false;
    if (transient.some(({ status }) => status !== undefined && isOutage(status))) return true;
    const responds = await this.#client.probe();
    return !isLast || !responds;
  }

  /**
   * Collects Patient and Encounter with what they refer to first, so that fhir-store has few unresolved references to
   * remember.
   */
  async #collectTypes(planned: readonly CollectionCheckpoint[]): Promise<TypeFailed[]> {
    const { fhirVersion: release, fhir_base_url: fhirBaseUrl } = this.connection;
    const open = planned.filter(({ progress, search }) => !progress.done && search.remaining.length > 0);
    const searched = new Set(planned.map(({ type }) => type));
    const included = new IncludedResources(
      new Set(
        planned
          .filter(({ progress }) => progress.done)
          .concat(open)
          .map(({ type }) => type),
      ),
    );
    const collect = (checkpoints: CollectionCheckpoint[]): Promise<TypeFailed[]> =>
      collectTypes(
        checkpoints,
        (checkpoint) =>
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
        () => this.abort.abort(),
      );
    const failures = await collect(open.filter(({ type }) => collectedFirst.has(type)));
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
    const complete = [...types].flatMap((type) => this.#checkpoints.get(type) ?? []).filter(isComplete);
    for (const { search } of complete) search.isRefused = true;
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

  async #finish(failures: TypeFailed[]): Promise<CollectionEnd> {
    const { connection, dependencies, abort, attempt } = this;
    const { signal } = abort;
    await this.#withRetries(() =>
      dependencies.records.resolveReferences(connection.service_user_id, this.#source, { signal }),
    );
    if (failures.length > 0) return this.#fail('permanent', failures);
    const complete = [...this.#checkpoints.values()].filter(isComplete);
    await dependencies.checkpoints.complete(attempt, complete.map(fullSearchOf));
    await this.#report({ state: 'completed' });
    return { state: 'completed' };
  }

  async #fail(failure: CollectionFailure, failures: readonly TypeFailed[]): Promise<CollectionEnd> {
    const reasons = describeFailures(failures);
    const retryAfterMs = Math.max(0, ...failures.map((failed) => failed.retryAfterMs ?? 0));
    const retryAfter =
      failure === 'transient' && retryAfterMs > 0 ? { retry_after_seconds: Math.ceil(retryAfterMs / 1000) } : {};
    await this.#report({
      state: 'failed',
      failure,
      error: { code: errorCodeOf(failure, failures), message: reasons },
      ...retryAfter,
    });
    return { state: 'failed', failure, hasResponded: this.#client.hasResponded, reasons };
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
    const { checkpoints, fullCollectionDays } = dependencies;
    const release = connection.fhirVersion;
    const capabilities = await this.#capabilities(isLast);
    const days = connection.is_full_requested ? 0 : fullCollectionDays;
    const earlier = await checkpoints.earlierCollections(connection.connection_id, days);
    const plans = planCollection({
      release,
      patientId: connection.patient_id,
      grantedScope: connection.granted_scope,
      capabilities,
      earlier: earlier && { startedAt: earlier.startedAt, completeTypes: incrementalTypes(earlier) },
    });
    const searched = plans.map((plan): CollectionCheckpoint => {
      const { type, searches, warnings, isUnannounced, includesProvenance } = plan;
      const reads = readOf(plan, plans);
      return {
        type,
        search: {
          remaining: searches,
          ...(isUnannounced ? { isUnannounced } : {}),
          ...(includesProvenance ? { provenance: 'included' as const } : {}),
        },
        progress: { ...emptyProgress(type, reads), warnings },
      };
    });
    const planned = earlier
      ? planVerification(searched, release, earlier, capabilities?.conditionalReads ?? new Set())
      : searched;
    await checkpoints.plan(this.attempt, planned);
    return planned;
  }

  /** Undefined when the health system has no readable CapabilityStatement: then the plan has every type. */
  async #capabilities(isLast: boolean): Promise<Capabilities | undefined> {
    try {
      const result = await this.#client.get(this.#client.urlOf('metadata'), { read: readCapabilities });
      return result.ok ? result.value : undefined;
    } catch (error) {
      if (!(error instanceof HealthSystemRequestFailed) || error instanceof AddressForbidden) throw error;
      if (!error.isPermanent && !isLast) throw TypeFailed.afterRequest('metadata', error);
      return undefined;
    }
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
    const created = {
      type,
      search: { remaining: [] },
      progress: { ...emptyProgress(type, 'references'), done: true, outcome: 'complete' as const },
    };
    this.#checkpoints.set(type, created);
    return created;
  }

  #withRetries<T>(call: () => Promise<T>): Promise<T> {
    const { signal } = this.abort;
    return withRetries(this.dependencies.internalRetryPolicy, call, { isRetryable: isServiceUnavailable, signal });
  }
}

/** How a type is read. Provenance is read as the types are that include it. */
function readOf({ type, searches }: TypePlan, plans: readonly TypePlan[]): TypeProgress['read'] {
  const including = type === 'Provenance' ? plans.filter(({ includesProvenance }) => includesProvenance) : [];
  const all = [...searches, ...including.flatMap((plan) => plan.searches)];
  if (all.length === 0) return 'references';
  return all.some((search) => search.includes('_lastUpdated=')) ? 'changes' : 'full';
}

function hasAttachmentElsewhere({ attachments_elsewhere: count = 0 }: ResourceOutcome): boolean {
  return count > 0;
}

/** The error of the connection. A single reason that concerns all of it has a code of its own. */
function errorCodeOf(failure: CollectionFailure, failures: readonly TypeFailed[]): ConnectionErrorCode {
  if (failures.some(({ code }) => code === 'address_forbidden')) return 'address_forbidden';
  if (failures.some(({ code }) => code === 'access_lost')) return 'access_lost';
  const isOut = failures.some(({ status }) => status !== undefined && isOutage(status));
  return failure === 'transient' && isOut ? 'health_system_unavailable' : 'types_failed';
}
