import type { FhirVersion, LineOutcome, TypeProgress } from '@tributary/contracts';
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
  /** Types that may be read; undefined when all may. */
  granted: ReadonlySet<string> | undefined;
  /** References whose targets are not stored, page by page: Type/id of the source, or the address of an attachment there. */
  awaited(after: string | undefined): Promise<{ references: string[]; next?: string | undefined }>;
  store(lines: string[]): Promise<LineOutcome[]>;
  progressOf(type: string): TypeProgress;
  /** Called after every slice, once it is stored, with the types in it. */
  save(types: string[]): Promise<void>;
}

/** So many are fetched side by side, as far as the host's cap lets them, and stored together. */
const sliceSize = 40;
/** A type of which so many in a row were refused, and none was not, is not asked for any more. */
const mostRefusals = 8;

/**
 * Fetches what the collected resources refer to and no search brought: practitioners, organizations, locations, medications, attachments. What these refer to
 * comes in the next round, until a round brings nothing new. A target that is refused is a warning: the reference keeps its source form.
 * @returns what could not be had though it was not refused
 */
export async function collectReferences(collection: ReferenceCollection): Promise<PageFailed[]> {
  const tried = new Set<string>();
  const refusals = new Map<string, number>();
  const failures: PageFailed[] = [];
  for (;;) {
    const untried = await listUntried(collection, tried);
    if (untried.length === 0) return failures;
    for (const reference of untried) tried.add(reference);
    const resources = untried.filter((reference) => !isAttachment(reference));
    for (let from = 0; from < resources.length; from += sliceSize) failures.push(...(await collectSlice(collection, resources.slice(from, from + sliceSize), refusals)));
    for (const reference of untried.filter(isAttachment)) failures.push(...(await collectAttachment(collection, reference)));
  }
}

async function listUntried({ awaited, granted }: ReferenceCollection, tried: ReadonlySet<string>): Promise<string[]> {
  const untried: string[] = [];
  let after: string | undefined;
  do {
    const { references, next } = await awaited(after);
    untried.push(...references.filter((reference) => !tried.has(reference) && (!granted || granted.has(typeOf(reference)))));
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

async function collectSlice(collection: ReferenceCollection, references: string[], refusals: Map<string, number>): Promise<PageFailed[]> {
  const failures: PageFailed[] = [];
  const fetched: { type: string; line: string }[] = [];
  const results = await Promise.allSettled(
    references.map(async (reference) => {
      const type = typeOf(reference);
      if ((refusals.get(type) ?? 0) >= mostRefusals) return warn(collection.progressOf(type), `more than ${mostRefusals} of ${type} were refused; the others were not asked for`);
      const line = await fetchReferred(collection, reference, failures);
      if (line === undefined) refusals.set(type, (refusals.get(type) ?? 0) + 1);
      else fetched.push({ type, line });
      if (line !== undefined) refusals.set(type, -Infinity);
    }),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  const outcomes = fetched.length > 0 ? await collection.store(fetched.map(({ line }) => line)) : [];
  fetched.forEach(({ type }, index) => countOutcomes(collection.progressOf(type), outcomes.slice(index, index + 1)));
  await collection.save([...new Set(references.map(typeOf))]);
  return failures;
}

/** One resource as a line; undefined when it was refused, or could not be had. */
async function fetchReferred({ client, progressOf }: ReferenceCollection, reference: string, failures: PageFailed[]): Promise<string | undefined> {
  const type = typeOf(reference);
  const read = (body: Buffer): string => {
    const resource = readResource(body);
    if (resource.resourceType !== type) throw new UnreadableAnswer(`a ${type} was expected`);
    return collectedLine(resource).line;
  };
  try {
    const answer = await client.get(client.addressOf(reference), { read });
    if (answer.ok) return answer.value;
    warn(progressOf(type), `a ${type} that is referred to was refused with ${answer.status}`);
  } catch (error) {
    failures.push(failureOf(error, type));
  }
  return undefined;
}

async function collectAttachment({ client, release, attachments, store, progressOf, save }: ReferenceCollection, reference: string): Promise<PageFailed[]> {
  const progress = progressOf('Binary');
  return attachments.turns.run(async () => {
    try {
      const fetched = await fetchAttachment(client, release, reference, attachments.mostBytes);
      if (fetched.ok) countOutcomes(progress, await store([fetched.binary.line]));
      const warning = fetched.ok ? fetched.binary.warning : fetched.reason;
      if (warning) warn(progress, warning);
      await save(['Binary']);
      return [];
    } catch (error) {
      return [failureOf(error, 'Binary')];
    }
  });
}

/** @throws what is no failure of the health system */
function failureOf(error: unknown, type: string): PageFailed {
  if (!(error instanceof HealthSystemUnreachable)) throw error;
  return new PageFailed(type, `what is referred to could not be fetched: the health system ${error.message}`, error.lasting, error.status);
}
