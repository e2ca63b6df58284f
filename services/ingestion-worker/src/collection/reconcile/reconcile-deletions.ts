import type { CollectionWarningCode, SourceReference, SourceReferences } from '@tributary/contracts';
import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import { countOutcomes, warn } from '../../checkpoints/progress';
import type { GoneResource, VerificationState } from '../../checkpoints/verification-state';
import type { HealthSystemClient } from '../../health-system/health-system-client';
import { HealthSystemRequestFailed } from '../../health-system/request-failures';
import { collectedResource, readResource } from '../../health-system/searchset';
import { grantedAccess } from '../plan/granted-types';
import { patientUrl } from '../plan/plan';
import type { CollectedRecord } from '../record/collected-record';
import { type AttachmentLimits, maxInconspicuouslyGone, storeAttachment } from '../references/collect-references';
import { fetchAttachment } from '../references/fetch-attachment';
import { settled, slicesOf } from '../references/slices';

export interface RecordVerification {
  client: HealthSystemClient;
  record: CollectedRecord;
  attachments: AttachmentLimits;
}

/** The reads of one collection, when a type is due and otherwise. The next collection continues. */
const maxReads = { due: 500, otherwise: 50 };
/** A Binary takes as long as this many other resources. */
const readsOfBinary = 5;
const sliceSize = 20;
const binariesAtOnce = 4;
/** After this many failed requests in a slice the rest is left to the next collection. */
const maxFailures = 3;
/** This share of the referred resources that were read can be gone without being conspicuous. */
const shareOfGone = 0.2;
/** The record may have got a version some time after it was read, and clocks differ. */
const modifiedSinceMarginMs = 24 * 3600_000;

/** Warnings after which nothing of a type is missing in the results of its searches. */
const harmless: ReadonlySet<CollectionWarningCode> = new Set([
  'page_size_refused',
  'search_restarted',
  'reference_not_found',
  'attachment_not_found',
  'absence_unexplained',
]);

/** Whether the searches of a type have returned everything: what they did not return may be deleted. */
export function hasReturnedAll({ search, progress }: CollectionCheckpoint): boolean {
  const { isIncomplete = false, restriction } = search;
  const isComplete = progress.done && progress.outcome === 'complete' && progress.failed === 0;
  return (
    isComplete &&
    !isIncomplete &&
    restriction === undefined &&
    progress.warnings.every(({ code }) => harmless.has(code))
  );
}

type Reading =
  | { kind: 'found'; json: string }
  /** Not modified, or stored already. */
  | { kind: 'known' }
  | { kind: 'gone'; status: number }
  | { kind: 'unexplained'; reason: string; hasFailed: boolean };

/**
 * Verifies what the record holds, at the end of a later collection. Of a type whose searches have returned everything,
 * each resource that they did not return is read by id; of a due type that only references lead to, each resource. What
 * it returns is stored. After all types, what the health system has answered with 404 or 410 is deleted in the record,
 * unless the patient cannot be read, either. A 404 counts only when another resource of the type can be read.
 * Everything else stays as it is.
 *
 * The state is saved after each slice, so that a crash repeats one slice at most. Repeating one does no harm.
 */
export async function reconcileDeletions(verification: RecordVerification): Promise<void> {
  const { connection, checkpoints } = verification.record;
  const accessTo = grantedAccess(connection.granted_scope, connection.consented_types);
  const types = checkpoints.flatMap((checkpoint) => {
    const state = checkpoint.search.verification;
    const isVerifiable = state && (state.isReferred || hasReturnedAll(checkpoint));
    return isVerifiable && accessTo(checkpoint.type).read ? new TypeVerification(verification, checkpoint, state) : [];
  });
  for (const type of types) await type.read();
  for (const type of types) await type.deleteGone();
}

class TypeVerification {
  readonly #type: string;
  readonly #sliceSize: number;
  readonly #readsOfOne: number;

  constructor(
    private readonly verification: RecordVerification,
    private readonly checkpoint: CollectionCheckpoint,
    private readonly state: VerificationState,
  ) {
    this.#type = checkpoint.type;
    this.#sliceSize = this.#type === 'Binary' ? binariesAtOnce : sliceSize;
    this.#readsOfOne = this.#type === 'Binary' ? readsOfBinary : 1;
  }

  /** Notes in the state what is gone. */
  async read(): Promise<void> {
    const { state } = this;
    const { record } = this.verification;
    if (state.isDone) return;
    const wanted = {
      type: this.#type,
      without: await record.returnedIds(this.#type),
      ...(state.isReferred ? {} : { patientId: record.connection.patient_id }),
    };
    for (let next: string | undefined = state.after, isFirst = true; isFirst || next !== undefined; isFirst = false) {
      const page: SourceReferences = await record.held(wanted, next);
      for (const slice of slicesOf(page.references, this.#sliceSize)) {
        if (this.#hasReadEnough()) return;
        const { gone, failures } = await this.#readSlice(slice);
        state.gone = [...(state.gone ?? []), ...gone];
        state.after = slice.at(-1)?.id;
        state.reads += slice.length * this.#readsOfOne;
        await this.#save();
        if (failures >= maxFailures) return;
        const notFound = gone.filter(({ status }) => status === 404).length;
        const isSuspect = notFound > maxInconspicuouslyGone && notFound === slice.length;
        if (isSuspect && !(await this.#canBeRead())) return this.#finish();
      }
      next = page.next;
    }
    await this.#finish();
  }

  /** Deletes what was gone in this collection. Called after all types were read, so that some time has passed. */
  async deleteGone(): Promise<void> {
    const { checkpoint, state } = this;
    const { record } = this.verification;
    const { gone = [] } = state;
    if (gone.length === 0) return;
    if (!(await this.#isReadable(patientUrl(record.connection.patient_id)))) {
      // The next collection reads the same again.
      delete state.gone;
      state.isDone = false;
      state.after = state.from;
      return this.#save();
    }
    const confirmed = await this.#confirmed(gone);
    if (confirmed.length > 0) {
      // An attempt that was superseded deletes nothing.
      await this.#save();
      const deletions = confirmed.map(({ reference, version }) => ({ reference, version }));
      const results = await record.deleteResources(deletions);
      // What is absent was deleted by an attempt that ended before it could count it: the record held it in this
      // collection.
      checkpoint.progress.deleted += results.filter((result) => result !== 'changed').length;
    }
    delete state.gone;
    await this.#save();
  }

  /** What to delete of the resources that were gone; the others are kept with a warning. */
  async #confirmed(gone: GoneResource[]): Promise<GoneResource[]> {
    const { state, checkpoint } = this;
    const keep = (reason: string): void => warn(checkpoint.progress, 'absence_unexplained', reason);
    if (state.isReferred) {
      // They can belong to another patient of the record, whose access this is not.
      if (!(await this.#isOnlyPatient())) return [];
      const read = state.reads / this.#readsOfOne;
      if (gone.length > maxInconspicuouslyGone && gone.length > shareOfGone * read) {
        keep(`${gone.length} of ${read} resources of ${this.#type} that were read again are gone; they were kept`);
        return [];
      }
    }
    const canBeRead = await this.#canBeRead();
    // No search shows that a referred resource is gone.
    const stillGone = state.isReferred ? await this.#readAgain(gone) : gone;
    const confirmed = stillGone.filter(({ status }) => status === 410 || canBeRead);
    if (confirmed.length < stillGone.length)
      keep(`a read of a ${this.#type} was answered with 404, and no other could be read; what was not found was kept`);
    return confirmed;
  }

  async #readAgain(gone: GoneResource[]): Promise<GoneResource[]> {
    const stillGone: GoneResource[] = [];
    for (const slice of slicesOf(gone, this.#sliceSize)) stillGone.push(...(await this.#readSlice(slice)).gone);
    return stillGone;
  }

  async #finish(): Promise<void> {
    this.state.isDone = true;
    delete this.state.after;
    await this.#save();
  }

  #save(): Promise<void> {
    return this.verification.record.save([this.#type]);
  }

  #hasReadEnough(): boolean {
    const reads = this.verification.record.checkpoints.reduce(
      (sum, { search }) => sum + (search.verification?.reads ?? 0),
      0,
    );
    return reads >= (this.state.isDue ? maxReads.due : maxReads.otherwise);
  }

  async #isOnlyPatient(): Promise<boolean> {
    const { record } = this.verification;
    const { references, next } = await record.held({ type: 'Patient', without: [] }, undefined);
    return (
      next === undefined && references.every(({ reference }) => reference === `Patient/${record.connection.patient_id}`)
    );
  }

  /** @returns what is gone, and how many requests have failed */
  async #readSlice(slice: readonly SourceReference[]): Promise<{ gone: GoneResource[]; failures: number }> {
    const { verification, checkpoint, state } = this;
    const readings = await settled(slice.map((each) => this.#read(each)));
    const found = readings.flatMap((reading) => (reading.kind === 'found' ? reading.json : []));
    if (found.length > 0) countOutcomes(checkpoint.progress, await verification.record.store(found));
    const readable = slice.find((_each, index) => ['found', 'known'].includes(readings[index]?.kind ?? ''));
    if (readable) state.example ??= readable.reference;
    const unexplained = readings.filter((reading) => reading.kind === 'unexplained');
    for (const { reason } of unexplained) warn(checkpoint.progress, 'absence_unexplained', reason);
    const gone = slice.flatMap((each, index) => {
      const reading = readings[index];
      return reading?.kind === 'gone' ? { ...each, status: reading.status } : [];
    });
    return { gone, failures: unexplained.filter(({ hasFailed }) => hasFailed).length };
  }

  /**
   * Whether the health system lets the type be read: some answer 404 to each read of a type, and some hide a type
   * without a refusal when the user has withdrawn it.
   */
  async #canBeRead(): Promise<boolean> {
    const { example } = this.state;
    return example !== undefined && this.#isReadable(example);
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
    const { client, record, attachments } = this.verification;
    return attachments.semaphore.runExclusive(async (): Promise<Reading> => {
      const reservation = client.reservation();
      try {
        const fetched = await fetchAttachment(client, held.reference, {
          maxBytes: attachments.maxBytes,
          headers: this.#conditions(held),
          reservation,
          store: async (attachment) => {
            const outcomes = await storeAttachment(record, attachment);
            countOutcomes(this.checkpoint.progress, outcomes);
            return outcomes.length > 0;
          },
        });
        if (!fetched.ok && fetched.status !== undefined) return this.#withoutContent(fetched.status);
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
