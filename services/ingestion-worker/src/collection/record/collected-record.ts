import {
  type AttachmentDescription,
  type BatchSource,
  type ConnectionForCollection,
  type ConnectionsClient,
  type RecordsClient,
  type ResourceOutcome,
  type RetryPolicy,
  type SourceDeletion,
  type SourceDeletions,
  type SourceReferences,
  type UnresolvedReferences,
  InternalCallError,
  isOtherPerson,
  isServiceUnavailable,
  personOf,
  withRetries,
} from '@tributary/contracts';
import type { Attempt } from '../../checkpoints/attempt';
import { type CollectionCheckpoint, hasNoGap } from '../../checkpoints/checkpoint';
import type { Checkpoints } from '../../checkpoints/checkpoints';
import { noteCreated } from './created-resources';
import { emptyProgress, warn } from '../../checkpoints/progress';
import { CollectionStale, type FinalReport, ProgressReporter } from './progress-reporter';
import { storeInBatches } from './store-batches';

export interface RecordDependencies {
  connections: ConnectionsClient;
  records: RecordsClient;
  checkpoints: Checkpoints;
  internalRetryPolicy: RetryPolicy;
  /** The shortest time between two progress reports, in milliseconds. */
  reportIntervalMs: number;
}

/**
 * What an attempt writes: resources to fhir-store, checkpoints to PostgreSQL, reports to user-management. Calls of
 * internal services are repeated during an outage (`internalRetryPolicy`).
 */
export class CollectedRecord {
  readonly #source: BatchSource;
  readonly #reporter: ProgressReporter;
  /** By type; also of types that only references lead to. */
  readonly #checkpoints = new Map<string, CollectionCheckpoint>();
  /** Ids in the record of what was stored since the last checkpoint, by type. */
  readonly #returned = new Map<string, string[]>();

  constructor(
    private readonly dependencies: RecordDependencies,
    readonly connection: ConnectionForCollection,
    private readonly attempt: Attempt,
    private readonly signal: AbortSignal,
  ) {
    const { connection_id: connectionId, collection_id: collectionId } = connection;
    this.#source = {
      client_id: connection.client_id,
      release: connection.fhirVersion,
      health_system_id: connection.health_system_id,
      fhir_base_url: connection.fhir_base_url,
    };
    this.#reporter = new ProgressReporter(
      () => this.checkpoints.map(({ progress }) => progress),
      (report) => dependencies.connections.report(connectionId, collectionId, report, { signal }),
      dependencies.reportIntervalMs,
    );
  }

  get checkpoints(): CollectionCheckpoint[] {
    return [...this.#checkpoints.values()];
  }

  begin(planned: readonly CollectionCheckpoint[]): void {
    for (const checkpoint of planned) this.#checkpoints.set(checkpoint.type, checkpoint);
  }

  checkpointOf(type: string): CollectionCheckpoint {
    const known = this.#checkpoints.get(type);
    if (known) return known;
    const created = { type, search: { remaining: [] }, progress: emptyProgress(type, 'references') };
    this.#checkpoints.set(type, created);
    return created;
  }

  /**
   * Stores the JSON of resources. Before each batch user-management is asked whether the collection is still in
   * progress: a new consent, which may be narrower, has begun another one.
   * @param searched the checkpoint of the type whose search has returned them
   * @returns their outcomes, in the same order
   * @throws CollectionStale
   */
  store(resources: string[], searched?: CollectionCheckpoint): Promise<ResourceOutcome[]> {
    return storeInBatches(resources, async (ndjson) => {
      const { results, now } = await this.#withRetries(async (records, user) => {
        await this.#assertInProgress();
        return records.storeBatch(user, this.#source, ndjson, { signal: this.signal });
      });
      if (searched) noteCreated(searched, results, now);
      if (searched?.type === 'Patient') this.#notePerson(resources);
      this.#noteReturned(results);
      if (results.some(hasAttachmentElsewhere))
        warn(
          this.checkpointOf('Binary').progress,
          'attachment_at_other_host',
          'an attachment is at another host, or its address names no server',
        );
      return results;
    });
  }

  /**
   * Stores an attachment while its content arrives. The call is not repeated, as the content cannot be.
   * @returns its outcome; none when fhir-store does not take content of this size
   * @throws CollectionStale, and what the content throws
   */
  async storeContent(
    { sourceId, mediaType }: AttachmentDescription,
    content: AsyncIterable<Buffer>,
  ): Promise<ResourceOutcome[]> {
    await this.#withRetries(() => this.#assertInProgress());
    const { records } = this.dependencies;
    const { service_user_id: user } = this.connection;
    const { signal } = this;
    try {
      const description = { sourceId, mediaType };
      const outcome = await records.storeAttachment(user, this.#source, description, content, { signal });
      this.#noteReturned([outcome]);
      return [outcome];
    } catch (error) {
      // It has no storage for large content, or the content is larger than that takes.
      if (error instanceof InternalCallError && error.status === 413) return [];
      throw error;
    }
  }

  /** The clock of fhir-store's database, in epoch milliseconds. */
  async now(): Promise<number> {
    const { now } = await this.#withRetries((records, user) =>
      records.storeBatch(user, this.#source, '', { signal: this.signal }),
    );
    return now;
  }

  /**
   * Saves the checkpoints of types, and what was stored since the last call. Reports the progress when that is due.
   * @throws AttemptSuperseded, CollectionStale, HealthSystemPaused
   */
  async save(types: Iterable<string>): Promise<void> {
    // Concurrent saves lock the rows that they share in the same order.
    const ordered = [...new Set(types)].sort().map((type) => this.checkpointOf(type));
    const returned = new Map(this.#returned);
    this.#returned.clear();
    await this.dependencies.checkpoints.save(this.attempt, ordered, returned);
    this.signal.throwIfAborted();
    this.#reporter.reportIfDue();
  }

  /** Lets the next collection read types in full. Those that are not planned are not concerned. */
  async readAgain(types: ReadonlySet<string>): Promise<void> {
    const complete = [...types].flatMap((type) => this.#checkpoints.get(type) ?? []).filter(hasNoGap);
    for (const { search } of complete) search.isIncomplete = true;
    if (complete.length > 0) await this.save(complete.map(({ type }) => type));
  }

  /** @throws CollectionStale */
  async report(report: FinalReport): Promise<void> {
    await this.#withRetries(() => this.#reporter.finish(report));
  }

  /** Ids in the record of what the health system has returned of a type in this collection. */
  returnedIds(type: string): Promise<string[]> {
    return this.dependencies.checkpoints.returnedIds(this.attempt.collectionId, type);
  }

  /** One page of the references whose targets the record lacks. */
  unresolvedReferences(after: string | undefined): Promise<UnresolvedReferences> {
    return this.#withRetries((records, user) =>
      records.unresolvedReferences(user, this.#source, after, { signal: this.signal }),
    );
  }

  async resolveReferences(): Promise<void> {
    await this.#withRetries((records, user) => records.resolveReferences(user, this.#source, { signal: this.signal }));
  }

  /** One page of what the record holds of a type from this health system. */
  held(
    wanted: { type: string; patientId?: string; without: Iterable<string> },
    after: string | undefined,
  ): Promise<SourceReferences> {
    return this.#withRetries((records, user) =>
      records.sourceReferences(user, this.#source, wanted, after, { signal: this.signal }),
    );
  }

  async deleteResources(deletions: SourceDeletion[]): Promise<SourceDeletions['results']> {
    const { results } = await this.#withRetries((records, user) =>
      records.deleteFromSource(user, this.#source, deletions, { signal: this.signal }),
    );
    return results;
  }

  /** A change of who the Patient is does not end the connection: the health system may have corrected a birth date. */
  #notePerson(resources: readonly string[]): void {
    const patients = resources
      .map((json) => JSON.parse(json) as { resourceType: string; id?: string })
      .filter(({ resourceType }) => resourceType === 'Patient');
    const { patient_id: patientId, person: before } = this.connection;
    const patient = patients.find(({ id }) => id === patientId) ?? (patients.length === 1 ? patients[0] : undefined);
    if (!patient) return;
    const person = personOf(patient);
    // Without the keys that are undefined.
    if (JSON.stringify(person) !== JSON.stringify(before)) this.#reporter.person = person;
    if (before && isOtherPerson(before, person))
      warn(
        this.checkpointOf('Patient').progress,
        'patient_changed',
        'the birth date, or the names and identifiers, of the patient are others than before',
      );
  }

  /** Only a later collection compares what was returned with the record. */
  #noteReturned(outcomes: readonly ResourceOutcome[]): void {
    const isLater = this.checkpoints.some(({ search }) => search.verification);
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

  /** @throws CollectionStale */
  async #assertInProgress(): Promise<void> {
    const { connection_id: connectionId, collection_id: collectionId } = this.connection;
    const { connections } = this.dependencies;
    if (!(await connections.isInProgress(connectionId, collectionId, { signal: this.signal })))
      throw new CollectionStale();
  }

  #withRetries<T>(call: (records: RecordsClient, serviceUserId: number) => Promise<T>): Promise<T> {
    const { records, internalRetryPolicy } = this.dependencies;
    const { signal } = this;
    return withRetries(internalRetryPolicy, () => call(records, this.connection.service_user_id), {
      isRetryable: isServiceUnavailable,
      signal,
    });
  }
}

export function hasAttachmentElsewhere({ attachments_elsewhere: count = 0 }: ResourceOutcome): boolean {
  return count > 0;
}
