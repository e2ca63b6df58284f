import type { FhirVersion, ResourceOutcome, TypeProgress } from '@tributary/contracts';
import type { AttachmentLimits } from '../attachments/attachment-limits';
import { fetchAttachment } from '../attachments/fetch-attachment';
import type { HealthSystemClient } from '../health-system/health-system-client';
import { HealthSystemUnreachable, UnreadableAnswer } from '../health-system/health-system-unreachable';
import { PageFailed } from './page-failed';
import { countOutcomes, warn } from './progress';
import { collectedLine, readResource } from './searchset';

export interface ReferenceCollection {
  release: FhirVersion;
  client: HealthSystemClient;
  attachments: AttachmentLimits;
  /** Whether resources of a type may be read, and are wanted now. */
  isWanted(type: string): boolean;
  /** What was answered already, be it by a refusal; kept from call to call. */
  tried: Set<string>;
  /** References whose targets are not stored, page by page: Type/id of the source, or the address of an attachment there. */
  awaited(after: string | undefined): Promise<{ references: string[]; next?: string | undefined }>;
  store(lines: string[]): Promise<ResourceOutcome[]>;
  progressOf(type: string): TypeProgress;
  /** Called after every slice, once it is stored, with the types in it. */
  save(types: string[]): Promise<void>;
}

/** So many are fetched side by side, as far as the host's cap lets them, and stored together. */
const sliceSize = 40;
const attachmentsAtOnce = 4;
/** A type of which so many in a row were refused, and none was not, is not asked for any more. */
const mostRefusals = 8;

/**
 * Fetches what the collected resources refer to and no search brought: practitioners, organizations, locations, medications, attachments. What these refer to
 * comes in the next round, until a round brings nothing new. A target that is refused is a warning: the reference keeps its source form.
 * @returns what could not be had though it was not refused
 */
export async function collectReferences(collection: ReferenceCollection): Promise<PageFailed[]> {
  const { tried } = collection;
  const refusals = new Map<string, number>();
  const failures = new Map<string, PageFailed>();
  for (;;) {
    const untried = await listUntried(collection);
    if (untried.length === 0) break;
    for (const reference of untried) tried.add(reference);
    for (const slice of slicesOf(
      untried.filter((reference) => !isAttachment(reference)),
      sliceSize,
    ))
      await collectSlice(collection, slice, refusals, failures);
    for (const slice of slicesOf(untried.filter(isAttachment), attachmentsAtOnce))
      await settled(slice.map((reference) => collectAttachment(collection, reference, failures)));
  }
  for (const reference of failures.keys()) tried.delete(reference);
  return [...failures.values()];
}

function slicesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_x, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Waits until all have ended, so that nothing goes on in the background when one of them throws. */
async function settled(work: Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason;
}

async function listUntried({ awaited, isWanted, tried }: ReferenceCollection): Promise<string[]> {
  const untried: string[] = [];
  let after: string | undefined;
  do {
    const { references, next } = await awaited(after);
    untried.push(...references.filter((reference) => !tried.has(reference) && isWanted(typeOf(reference))));
    after = next;
  } while (after !== undefined);
  return untried;
}

/** Attachments are named by `Binary/{id}`, or by their whole address. */
function isAttachment(reference: string): boolean {
  return typeOf(reference) === 'Binary';
}

function typeOf(reference: string): string {
  return reference.includes('://') ? 'Binary' : (reference.split('/')[0] ?? '');
}

async function collectSlice(
  collection: ReferenceCollection,
  references: string[],
  refusals: Map<string, number>,
  failures: Map<string, PageFailed>,
): Promise<void> {
  const { progressOf, store, save } = collection;
  const fetched: { type: string; line: string }[] = [];
  const fetchOne = async (reference: string): Promise<void> => {
    const type = typeOf(reference);
    const refused = refusals.get(type) ?? 0;
    if (refused >= mostRefusals)
      return warn(
        progressOf(type),
        `${mostRefusals} of ${type} were refused one after the other; the rest was not asked for`,
      );
    const line = await fetchReferred(collection, reference, failures);
    refusals.set(type, line === undefined ? refused + 1 : -Infinity);
    if (line !== undefined) fetched.push({ type, line });
  };
  await settled(references.map(fetchOne));
  const outcomes = fetched.length > 0 ? await store(fetched.map(({ line }) => line)) : [];
  fetched.forEach(({ type }, index) => countOutcomes(progressOf(type), outcomes.slice(index, index + 1)));
  await save([...new Set(references.map(typeOf))]);
}

/** One resource as a line; undefined when it was refused, or could not be had. */
async function fetchReferred(
  { client, progressOf }: ReferenceCollection,
  reference: string,
  failures: Map<string, PageFailed>,
): Promise<string | undefined> {
  const type = typeOf(reference);
  const read = (body: Buffer): string => {
    const resource = readResource(body);
    if (resource.resourceType !== type) throw new UnreadableAnswer(`not the ${type} that was asked for`);
    return collectedLine(resource).line;
  };
  try {
    const answer = await client.get(client.addressOf(reference), { read });
    if (answer.ok) return answer.value;
    warn(progressOf(type), `a reference was refused with ${answer.status}`);
  } catch (error) {
    failures.set(reference, failureOf(error, type));
  }
  return undefined;
}

async function collectAttachment(
  { client, release, attachments, store, progressOf, save }: ReferenceCollection,
  reference: string,
  failures: Map<string, PageFailed>,
): Promise<void> {
  const progress = progressOf('Binary');
  await attachments.turns.run(async () => {
    const room = client.room();
    try {
      const fetched = await fetchAttachment(client, release, reference, attachments.mostBytes, room);
      if (fetched.ok) countOutcomes(progress, await store([fetched.binary.line]));
      const warning = fetched.ok ? fetched.binary.warning : fetched.reason;
      if (warning) warn(progress, warning);
      await save(['Binary']);
    } catch (error) {
      failures.set(reference, failureOf(error, 'Binary'));
    } finally {
      room.release();
    }
  });
}

/** @throws what is no failure of the health system */
function failureOf(error: unknown, type: string): PageFailed {
  if (!(error instanceof HealthSystemUnreachable)) throw error;
  return new PageFailed(
    type,
    `what is referred to could not be fetched: the health system ${error.message}`,
    error.lasting,
    error.status,
  );
}
