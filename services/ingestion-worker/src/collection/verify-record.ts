import type {
  FhirVersion,
  ResourceOutcome,
  SourceDeletion,
  SourceDeletions,
  SourceReference,
  SourceReferences,
} from '@tributary/contracts';
import { fetchAttachment } from '../attachments/fetch-attachment';
import type { CollectionCheckpoint } from '../checkpoints/checkpoints';
import type { VerificationState } from '../checkpoints/verification-state';
import type { HealthSystemClient } from '../health-system/health-system-client';
import { HealthSystemRequestFailed } from '../health-system/request-failures';
import type { AttachmentLimits } from './collect-references';
import { patientUrl } from './plan';
import { countOutcomes, warn } from './progress';
import { collectedResource, readResource } from './searchset';
import { hasReturnedAll } from './verification';

export interface RecordVerification {
  release: FhirVersion;
  patientId: string;
  client: HealthSystemClient;
  attachments: AttachmentLimits;
  /** Of all types. */
  checkpoints: readonly CollectionCheckpoint[];
  /** Whether the granted scopes allow to read a type by id. */
  isReadable(type: string): boolean;
  /** Ids in the record of what the health system has returned of a type in this collection. */
  returnedIds(type: string): Promise<string[]>;
  /** One page of what the record holds of a type from this health system. */
  held(
    wanted: { type: string; patientId?: string; without: Iterable<string> },
    after: string | undefined,
  ): Promise<SourceReferences>;
  store(resources: string[]): Promise<ResourceOutcome[]>;
  deleteResources(deletions: SourceDeletion[]): Promise<SourceDeletions['results']>;
  /** Saves a checkpoint. @throws when this attempt must stop */
  save(checkpoint: CollectionCheckpoint): Promise<void>;
}

/** The reads of one collection, when a type is due and otherwise. The next collection continues. */
const maxReads = { due: 500, otherwise: 50 };
/** A Binary takes as long as this many other resources. */
const readsOfBinary = 5;
const sliceSize = 20;
const binariesAtOnce = 4;
/** After this many failed requests in a slice the rest is left to the next collection. */
const maxFailures = 3;
/** So many resources of a type may be gone when no other of the type was readable. */
const maxGoneWithoutExample = 2;
/** The record may have got a version some time after it was read, and clocks differ. */
const modifiedSinceMarginMs = 24 * 3600_000;

/**
 * Of one slice. `failed`: the health system does not respond. Without a readable patient the slice is to be repeated;
 * where the type cannot be read, nothing of it can be verified.
 */
type Result = 'verified' | 'failed' | 'patient unreadable' | 'type unreadable';

type Reading =
  | { kind: 'found'; json: string }
  /** Not modified, or stored already. */
  | { kind: 'known' }
  | { kind: 'gone'; status: number }
  | { kind: 'unexplained'; reason: string; hasFailed: boolean };

/**
 * Verifies what the record holds, at the end of a later collection. Of a type whose searches have returned everything,
 * each resource that they did not return is read by id; of a due type that only references lead to, each resource. What
 * the health system answers with 404 or 410 is deleted in the record, unless the patient, or a resource that it has
 * returned before, cannot be read either. What it returns is stored; everything else stays as it is.
 *
 * The state is saved after each slice, so that a crash repeats one slice at most. Repeating one does no harm.
 */
export async function verifyRecord(verification: RecordVerification): Promise<void> {
  for (const checkpoint of verification.checkpoints) {
    const state = checkpoint.search.verification;
    if (!state || state.isDone || !(state.isReferred || hasReturnedAll(checkpoint))) continue;
    if (verification.isReadable(checkpoint.type)) await new TypeVerification(verification, checkpoint, state).run();
  }
}

class TypeVerification {
  readonly #type: string;
  /** Referred resources can belong to another patient of the record, whose access this is not. */
  #mayDelete = true;

  constructor(
    private readonly verification: RecordVerification,
    private readonly checkpoint: CollectionCheckpoint,
    private readonly state: VerificationState,
  ) {
    this.#type = checkpoint.type;
  }

  async run(): Promise<void> {
    const { verification, state } = this;
    const { patientId, held, returnedIds } = verification;
    if (state.isReferred) this.#mayDelete = await this.#isOnlyPatient();
    const wanted = {
      type: this.#type,
      without: await returnedIds(this.#type),
      ...(state.isReferred ? {} : { patientId }),
    };
    for (let next: string | undefined = state.after, isFirst = true; isFirst || next !== undefined; isFirst = false) {
      const page: SourceReferences = await held(wanted, next);
      for (const slice of slicesOf(page.references, this.#type === 'Binary' ? binariesAtOnce : sliceSize)) {
        if (this.#hasReadEnough()) return;
        const result = await this.#verify(slice);
        if (result === 'patient unreadable') return;
        if (result === 'type unreadable') return this.#finish();
        state.after = slice.at(-1)?.id;
        state.reads += slice.length * (this.#type === 'Binary' ? readsOfBinary : 1);
        await verification.save(this.checkpoint);
        if (result === 'failed') return;
      }
      next = page.next;
    }
    await this.#finish();
  }

  async #finish(): Promise<void> {
    this.state.isDone = true;
    delete this.state.after;
    await this.verification.save(this.checkpoint);
  }

  #hasReadEnough(): boolean {
    const reads = this.verification.checkpoints.reduce((sum, { search }) => sum + (search.verification?.reads ?? 0), 0);
    return reads >= (this.state.isDue ? maxReads.due : maxReads.otherwise);
  }

  async #isOnlyPatient(): Promise<boolean> {
    const { held, patientId } = this.verification;
    const { references } = await held({ type: 'Patient', without: [] }, undefined);
    return references.every(({ reference }) => reference === `Patient/${patientId}`);
  }

  async #verify(slice: readonly SourceReference[]): Promise<Result> {
    const { verification, checkpoint, state } = this;
    const readings = await all(slice.map((each) => this.#read(each)));
    const found = readings.flatMap((reading) => (reading.kind === 'found' ? reading.json : []));
    if (found.length > 0) countOutcomes(checkpoint.progress, await verification.store(found));
    const readable = slice.find((_each, index) => ['found', 'known'].includes(readings[index]?.kind ?? ''));
    if (readable) state.example ??= readable.reference;
    const unexplained = readings.filter((reading) => reading.kind === 'unexplained');
    for (const { reason } of unexplained) warn(checkpoint.progress, 'absence_unexplained', reason);
    if (unexplained.filter(({ hasFailed }) => hasFailed).length >= maxFailures) return 'failed';
    const gone = slice.filter((_each, index) => readings[index]?.kind === 'gone');
    if (gone.length === 0 || !this.#mayDelete) return 'verified';
    if (!(await this.#isReadable(patientUrl(verification.patientId)))) return 'patient unreadable';
    const notFound = readings.filter((reading) => reading.kind === 'gone' && reading.status === 404).length;
    if (notFound > 0 && !(await this.#canBeRead(notFound))) {
      const reason = `the health system answers 404 to each read of a ${this.#type}; what was not found was kept`;
      warn(checkpoint.progress, 'absence_unexplained', reason);
      return 'type unreadable';
    }
    // An attempt that was superseded deletes nothing.
    await verification.save(checkpoint);
    const results = await verification.deleteResources(gone.map(({ reference, version }) => ({ reference, version })));
    checkpoint.progress.deleted += results.filter((result) => result === 'deleted').length;
    return 'verified';
  }

  /**
   * Whether the health system lets the type be read: some answer 404 to each read of a type, and some hide a type without
   * a refusal when the user has withdrawn it.
   */
  async #canBeRead(notFound: number): Promise<boolean> {
    const { example } = this.state;
    return example === undefined ? notFound <= maxGoneWithoutExample : this.#isReadable(example);
  }

  async #isReadable(reference: string): Promise<boolean> {
    const { client } = this.verification;
    try {
      return (await client.get(client.urlOf(reference), { read: () => true })).ok;
    } catch (error) {
      if (error instanceof HealthSystemRequestFailed) return false;
      throw error;
    }
  }

  async #read(held: SourceReference): Promise<Reading> {
    try {
      return await (this.#type === 'Binary' ? this.#readAttachment(held) : this.#readResource(held));
    } catch (error) {
      if (!(error instanceof HealthSystemRequestFailed)) throw error;
      return {
        kind: 'unexplained',
        reason: `a ${this.#type} could not be verified: the health system ${error.message}`,
        hasFailed: true,
      };
    }
  }

  async #readResource(held: SourceReference): Promise<Reading> {
    const { client } = this.verification;
    const result = await client.get(client.urlOf(held.reference), {
      read: (body) => collectedResource(readResource(body)),
      headers: this.#conditions(held),
    });
    if (!result.ok) return this.#withoutContent(result.status);
    const { key, json } = result.value;
    if (key === held.reference) return { kind: 'found', json };
    return { kind: 'unexplained', reason: `a read of a ${this.#type} returned another resource`, hasFailed: false };
  }

  async #readAttachment(held: SourceReference): Promise<Reading> {
    const { client, release, attachments, store } = this.verification;
    return attachments.semaphore.runExclusive(async (): Promise<Reading> => {
      const reservation = client.reservation();
      try {
        const fetched = await fetchAttachment(
          client,
          release,
          held.reference,
          attachments.maxBytes,
          reservation,
          this.#conditions(held),
        );
        if (!fetched.ok) return fetched.status === undefined ? { kind: 'known' } : this.#withoutContent(fetched.status);
        countOutcomes(this.checkpoint.progress, await store([fetched.binary.json]));
        return { kind: 'known' };
      } finally {
        reservation.release();
      }
    });
  }

  #withoutContent(status: number): Reading {
    if (status === 304) return { kind: 'known' };
    if (status === 404 || status === 410) return { kind: 'gone', status };
    return {
      kind: 'unexplained',
      reason: `a read of a ${this.#type} was refused with ${status}; it was kept`,
      hasFailed: false,
    };
  }

  #conditions({ last_updated }: SourceReference): Record<string, string> {
    if (!this.state.isConditional) return {};
    return { 'If-Modified-Since': new Date(last_updated - modifiedSinceMarginMs).toUTCString() };
  }
}

/** Waits for all, so that nothing continues in the background when one of them throws. @throws the first rejection */
async function all<T>(work: Promise<T>[]): Promise<T[]> {
  return (await Promise.allSettled(work)).map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

function slicesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_x, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
