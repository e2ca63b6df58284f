import type { CollectionWarningCode, ResourceOutcome, TypeAccess } from '@tributary/contracts';
import type { Semaphore } from 'async-mutex';
import { countOutcomes, markNotFoundUncertain, warn } from '../../checkpoints/progress';
import type { HealthSystemClient } from '../../health-system/health-system-client';
import { HealthSystemRequestFailed, UnreadableResponse } from '../../health-system/request-failures';
import { collectedResource, readResource } from '../../health-system/searchset';
import { TypeFailed } from '../../health-system/type-failed';
import { grantedAccess } from '../plan/granted-types';
import type { CollectedRecord } from '../record/collected-record';
import type { AttachedContent } from './attached-content';
import type { AttachedBinary } from './binary';
import { fetchAttachment } from './fetch-attachment';
import { settled, slicesOf } from './slices';

export interface AttachmentLimits {
  /** Larger attachments are not collected. */
  maxBytes: number;
  /** Limits the attachments that all collections of the process transfer at once. */
  semaphore: Semaphore;
}

export interface ReferenceCollection {
  client: HealthSystemClient;
  record: CollectedRecord;
  attachments: AttachmentLimits;
  /** The types that the next collection reads in full when the address of an attachment has expired. */
  addressesExpireOf: ReadonlySet<string>;
  /** References that the health system has answered or refused; kept from call to call. */
  tried: Set<string>;
  /** Counts by type the references that were answered with 404 or 410; kept from call to call. */
  gone: Map<string, number>;
}

/** References that are fetched concurrently, within the limits of the host, and stored together. */
const sliceSize = 40;
const concurrentAttachments = 4;
/** A type with this many refusals in a row, and no success, is not requested any more. */
const maxRefusals = 8;
/** At most this number of resources of a type can be gone without being conspicuous. */
export const maxInconspicuouslyGone = 2;

/**
 * Fetches the targets of references that no search returned: practitioners, organizations, locations, medications,
 * attachments. Repeats this for the references of the fetched resources, until there are no new ones. A refused target
 * becomes a warning: its reference keeps the form of the source. A target that failed is tried again by the next call.
 * @returns the targets that could not be read although they were not refused
 */
export async function collectReferences(
  collection: ReferenceCollection,
  isWanted: (type: string) => boolean,
): Promise<TypeFailed[]> {
  const { record, tried } = collection;
  const { granted_scope: grantedScope, consented_types: consentedTypes } = record.connection;
  const accessTo = grantedAccess(grantedScope, consentedTypes);
  const refusals = new Map<string, number>();
  const failures = new Map<string, TypeFailed>();
  for (;;) {
    const unresolved = await listUnresolved(record);
    await countStoredBefore(record, unresolved);
    const untried = unresolved.filter((reference) => {
      const type = typeOf(reference);
      return !tried.has(reference) && isWanted(type) && isReadable(record, type, accessTo(type));
    });
    if (untried.length === 0) break;
    for (const reference of untried) tried.add(reference);
    for (const slice of slicesOf(
      untried.filter((reference) => !isAttachment(reference)),
      sliceSize,
    ))
      await collectSlice(collection, slice, refusals, failures);
    for (const slice of slicesOf(untried.filter(isAttachment), concurrentAttachments))
      await settled(slice.map((reference) => collectAttachment(collection, reference, failures)));
  }
  for (const reference of failures.keys()) tried.delete(reference);
  return [...failures.values()];
}

/** A type that is granted for searching only is reported once a reference leads to it. */
function isReadable(record: CollectedRecord, type: string, { read, search }: TypeAccess): boolean {
  if (!read && search)
    warn(
      record.checkpointOf(type).progress,
      'granted_in_part',
      `the granted scopes allow to search for ${type}, but not to read what only references lead to`,
    );
  return read;
}

async function listUnresolved(record: CollectedRecord): Promise<string[]> {
  const listed: string[] = [];
  let after: string | undefined;
  do {
    const { references, next } = await record.unresolvedReferences(after);
    listed.push(...references);
    after = next;
  } while (after !== undefined);
  return listed;
}

/**
 * Counts the resources that an earlier attempt has stored without learning it: they are in the record, so no reference
 * to them is unresolved.
 */
async function countStoredBefore(record: CollectedRecord, unresolved: readonly string[]): Promise<void> {
  const interrupted = record.checkpoints.filter(({ search }) => search.storing !== undefined);
  if (interrupted.length === 0) return;
  const missing = new Set(unresolved);
  for (const { search, progress } of interrupted) {
    const stored = (search.storing ?? []).filter((reference) => !missing.has(reference));
    countOutcomes(
      progress,
      stored.map(() => ({ outcome: 'stored', created: true })),
    );
    delete search.storing;
  }
  await record.save(interrupted.map(({ type }) => type));
}

/** An attachment is referred to as `Binary/{id}`, by its absolute URL, or by one that begins with a slash. */
function isAttachment(reference: string): boolean {
  return typeOf(reference) === 'Binary';
}

function typeOf(reference: string): string {
  return /^([a-z]+:\/)?\//i.test(reference) ? 'Binary' : (reference.split('/')[0] ?? '');
}

async function collectSlice(
  collection: ReferenceCollection,
  references: string[],
  refusals: Map<string, number>,
  failures: Map<string, TypeFailed>,
): Promise<void> {
  const { record } = collection;
  const fetched: { type: string; reference: string; json: string }[] = [];
  const fetchOne = async (type: string, reference: string): Promise<void> => {
    const json = await fetchTarget(collection, reference, failures);
    // Read after the request: others of the type have ended meanwhile.
    refusals.set(type, json === undefined ? (refusals.get(type) ?? 0) + 1 : -Infinity);
    if (json !== undefined) fetched.push({ type, reference, json });
  };
  const fetchType = async (type: string, ofType: string[]): Promise<void> => {
    for (let rest = ofType; rest.length > 0;) {
      // Until one was returned, no more are requested at once than may be refused.
      const mayBeRefused = maxRefusals - (refusals.get(type) ?? 0);
      if (mayBeRefused <= 0)
        return warn(
          record.checkpointOf(type).progress,
          'reference_refused',
          `${maxRefusals} of ${type} were refused and none was returned; the rest was not requested`,
        );
      await settled(rest.slice(0, mayBeRefused).map((reference) => fetchOne(type, reference)));
      rest = rest.slice(mayBeRefused);
    }
  };
  const types = [...new Set(references.map(typeOf))];
  await settled(
    types.map((type) =>
      fetchType(
        type,
        references.filter((reference) => typeOf(reference) === type),
      ),
    ),
  );
  if (fetched.length > 0) {
    for (const { type, reference } of fetched) (record.checkpointOf(type).search.storing ??= []).push(reference);
    await record.save(types);
    const outcomes = await record.store(fetched.map(({ json }) => json));
    fetched.forEach(({ type }, index) =>
      countOutcomes(record.checkpointOf(type).progress, outcomes.slice(index, index + 1)),
    );
    for (const type of types) delete record.checkpointOf(type).search.storing;
  }
  await record.save(types);
}

/** A health system of which nothing of a type was ever read may have moved it, or not offer it to us. */
export async function markGoneUncertain({ record, gone }: ReferenceCollection): Promise<void> {
  for (const [type, count] of gone) {
    const { progress } = record.checkpointOf(type);
    if (count <= maxInconspicuouslyGone || progress.fetched > 0) continue;
    const { references } = await record.held({ type, without: [] }, undefined);
    if (references.length === 0) markNotFoundUncertain(progress);
  }
}

/** The JSON of one resource; undefined when it was refused, or could not be read. */
async function fetchTarget(
  { client, record, gone }: ReferenceCollection,
  reference: string,
  failures: Map<string, TypeFailed>,
): Promise<string | undefined> {
  const type = typeOf(reference);
  const read = (body: Buffer): string => {
    const resource = readResource(body);
    if (resource.resourceType !== type) throw new UnreadableResponse(`not the ${type} that was requested`);
    return collectedResource(resource).json;
  };
  try {
    const result = await client.get(client.urlOf(reference), { read });
    if (result.ok) return result.value;
    if (isGone(result.status)) countGone(gone, type);
    warn(
      record.checkpointOf(type).progress,
      isGone(result.status) ? 'reference_not_found' : 'reference_refused',
      `a reference was refused with ${result.status}`,
    );
  } catch (error) {
    failures.set(reference, failureOf(error, type));
  }
  return undefined;
}

const refusalCodes: ReadonlySet<CollectionWarningCode> = new Set(['attachment_refused', 'attachment_not_found']);
/** The parameter of the signature of a presigned address. */
const signature = /[?&](x-(amz|goog)-signature|signature|sig)=/i;

async function collectAttachment(
  { client, record, attachments, gone, addressesExpireOf }: ReferenceCollection,
  reference: string,
  failures: Map<string, TypeFailed>,
): Promise<void> {
  const { progress, search } = record.checkpointOf('Binary');
  const store = async (attachment: AttachedBinary | AttachedContent): Promise<boolean> => {
    search.storing = [...new Set([...(search.storing ?? []), reference])];
    await record.save(['Binary']);
    const outcomes = await storeAttachment(record, attachment);
    countOutcomes(progress, outcomes);
    return outcomes.length > 0;
  };
  const endStoring = (): void => {
    const storing = (search.storing ?? []).filter((other) => other !== reference);
    if (storing.length > 0) search.storing = storing;
    else delete search.storing;
  };
  await attachments.semaphore.runExclusive(async () => {
    const reservation = client.reservation();
    try {
      const { maxBytes } = attachments;
      const fetched = await fetchAttachment(client, reference, { maxBytes, reservation, store });
      endStoring();
      if (!fetched.ok && refusalCodes.has(fetched.code) && signature.test(reference))
        await record.readAgain(addressesExpireOf);
      if (!fetched.ok && fetched.code === 'attachment_not_found') countGone(gone, 'Binary');
      if (!fetched.ok) warn(progress, fetched.code, fetched.reason);
      else if (fetched.warning) warn(progress, 'health_system_warning', fetched.warning);
      await record.save(['Binary']);
    } catch (error) {
      failures.set(reference, failureOf(error, 'Binary'));
      endStoring();
    } finally {
      reservation.release();
    }
  });
}

/** @returns no outcome when fhir-store does not take content of this size */
export function storeAttachment(
  record: CollectedRecord,
  attachment: AttachedBinary | AttachedContent,
): Promise<ResourceOutcome[]> {
  return 'json' in attachment ? record.store([attachment.json]) : record.storeContent(attachment, attachment.content);
}

/** @throws the error itself when the health system is not its cause */
function failureOf(error: unknown, type: string): TypeFailed {
  if (!(error instanceof HealthSystemRequestFailed)) throw error;
  if (error.code === 'access_lost' || error.code === 'access_postponed') return TypeFailed.afterRequest(type, error);
  return new TypeFailed(
    type,
    type === 'Binary' ? 'attachment_failed' : 'reference_failed',
    `what is referred to could not be fetched: the health system ${error.message}`,
    error.isPermanent,
    error.status,
  );
}

function countGone(gone: Map<string, number>, type: string): void {
  gone.set(type, (gone.get(type) ?? 0) + 1);
}

/** Not found, or deleted. */
function isGone(status: number): boolean {
  return status === 404 || status === 410;
}
