import { recognizeResource } from '@tributary/fhir-validation';
import { assertMayWrite } from '@tributary/service-kit';
import type { Access, FhirResponse } from '../fhir-http/fhir-response';
import type { FhirRequest, ReadRequest } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';
import { type PlannedWrite, type WriteRequest, writePlanned } from '../interactions/conditional/planned-write';
import { storingContent } from '../interactions/large-content';
import { withRecordLock } from '../interactions/conditional/with-record-lock';
import { bundleEntities } from '../audit/bundle-entities';
import { routeNameOf, runBatch, runEntry } from './batch';
import { type BundleEntry, isRead, readEntries, segmentsOf } from './bundle-entry';
import { BundleReferences, conditionalReferencesIn } from './bundle-references';
import { PartialBundleError } from './partial-bundle-error';
import { type PlannedEntry, dependsOnReading, planEntry, validated } from './plan-write';
import { type EntryResult, responseBundle } from './response-bundle';
import { ResponseSize } from './response-size';

/**
 * `POST /{release}`: a batch or a transaction (https://hl7.org/fhir/R4/http.html#transaction).
 * @throws FhirError 400 when the body is not a Bundle of either type; in a transaction also the error of the entry that
 * fails
 */
export async function postBundle(request: FhirRequest): Promise<FhirResponse> {
  const { release, base } = request;
  const { resource: bundle, issue } = recognizeResource(release, await request.body());
  if (issue) throw new FhirError(400, [issue]);
  if (bundle.resourceType !== 'Bundle') throw badRequest('a Bundle is expected at this address');
  const entries = readEntries(release, base, bundle);
  await request.countEntries?.(entries.map((entry) => routeNameOf(release, entry)));
  switch (bundle.type) {
    case 'batch':
      return respond(request, 'batch-response', entries, runBatch);
    case 'transaction':
      return respond(request, 'transaction-response', entries, runTransaction);
    default:
      throw badRequest('Bundle.type must be batch or transaction', 'value');
  }
}

/** @throws PartialBundleError when the entries fail after some of them were written */
async function respond(
  request: FhirRequest,
  type: 'batch-response' | 'transaction-response',
  entries: readonly BundleEntry[],
  run: typeof runBatch,
): Promise<FhirResponse> {
  const { release } = request;
  const results: EntryResult[] = [];
  const access = (): Access => ({ entities: bundleEntities(release, entries, results) });
  try {
    await run(request, entries, results);
  } catch (error) {
    const hasWritten = entries.some((entry) => !isRead(entry) && isSuccess(results[entry.index]));
    throw hasWritten ? new PartialBundleError(error, access()) : error;
  }
  return { status: 200, body: responseBundle(release, type, results), access: access() };
}

function isSuccess(result: EntryResult | undefined): boolean {
  return result !== undefined && !(result instanceof FhirError);
}

/**
 * Runs a transaction (https://hl7.org/fhir/R4/http.html#transaction): all writes in one database transaction, then the
 * reads. Entries can refer to each other by fullUrl, in any order.
 * @param results receives the result of each entry, those of the writes once they are committed
 * @throws FhirError when a write is not possible, HttpError 403 when the scope allows none; nothing is written then
 */
async function runTransaction(
  request: FhirRequest,
  entries: readonly BundleEntry[],
  results: EntryResult[],
): Promise<void> {
  for (const entry of entries) segmentsOf(entry);
  const writes = entries.filter((entry) => !isRead(entry));
  if (writes.length > 0) assertMayWrite(request);
  const written = await storingContent(
    request.record,
    writes.map(({ resource }) => resource),
    (resources) =>
      write(
        request,
        writes.map((entry, at) => ({ ...entry, resource: resources[at] })),
      ),
  );
  for (const [entry, response] of written) results[entry.index] = response;
  const size = new ResponseSize(request.contentLimits.bundleBytes);
  for (const entry of entries.filter(isRead)) results[entry.index] = size.fits(await runEntry(request, entry));
}

/**
 * Writes all entries. When criteria are evaluated, the lock of the record is held from their evaluation to the write.
 */
async function write(request: FhirRequest, entries: readonly BundleEntry[]): Promise<[BundleEntry, FhirResponse][]> {
  const reads =
    entries.some(dependsOnReading) ||
    entries.some(({ resource }) => resource !== undefined && conditionalReferencesIn([resource]).size > 0);
  if (!reads) return writeOnce(request, await planAll(request, entries));
  return withRecordLock(request, (locked) => planAll(locked, entries), writeOnce);
}

async function writeOnce(
  request: WriteRequest,
  plans: readonly PlannedEntry[],
): Promise<[BundleEntry, FhirResponse][]> {
  assertUnique(plans, uniqueKeysOf, ' has the same resource as another entry');
  assertUnique(plans, fullUrlsOf, '.fullUrl is also the fullUrl of another entry');
  const references = new BundleReferences(plans);
  await references.findConditional(
    request,
    plans.flatMap((plan) => (plan.effect === 'store' ? [plan.resource] : [])),
  );
  const valid = validAll(request, plans, references);
  const responses = await writePlanned(request, valid);
  return valid.map(({ entry }, index) => [entry, responses[index] as FhirResponse]);
}

async function planAll(request: ReadRequest, entries: readonly BundleEntry[]): Promise<PlannedEntry[]> {
  const plans: PlannedEntry[] = [];
  for (const entry of entries) plans.push(await planEntry(request, entry));
  return plans;
}

/** @throws FhirError 400 when two entries have the same key */
function assertUnique(
  plans: readonly PlannedEntry[],
  keysOf: (plan: PlannedEntry) => readonly string[],
  problem: string,
): void {
  const seen = new Set<string>();
  for (const plan of plans) {
    for (const key of keysOf(plan)) {
      if (seen.has(key)) throw badRequest(`Bundle.entry[${plan.entry.index}]${problem}`, 'invariant');
      seen.add(key);
    }
  }
}

/** The keys that must be unique in a transaction: written resources and the criteria of conditional creates. */
function uniqueKeysOf(plan: PlannedWrite): string[] {
  if (plan.effect === 'unchanged') return [];
  if (plan.effect === 'delete') return plan.targets.map(({ id }) => `${plan.type}/${id}`);
  return [`${plan.type}/${plan.id}`, ...(plan.createdFor === undefined ? [] : [`${plan.type}?${plan.createdFor}`])];
}

/** A fullUrl that two entries have would make references to it ambiguous. */
function fullUrlsOf({ effect, entry: { fullUrl } }: PlannedEntry): string[] {
  return effect === 'delete' || fullUrl === undefined ? [] : [fullUrl];
}

/** The plans with valid resources, whose references are resolved. @throws FhirError with the issues of all others */
function validAll(
  request: ReadRequest,
  plans: readonly PlannedEntry[],
  references: BundleReferences,
): readonly PlannedEntry[] {
  const faults: FhirError[] = [];
  const valid = plans.map((plan) => {
    if (plan.effect !== 'store') return plan;
    try {
      return { ...plan, resource: validated(request, plan, references.resolve(plan.resource)) };
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
      faults.push(error);
      return plan;
    }
  });
  if (faults.length === 0) return valid;
  throw new FhirError(
    Math.min(...faults.map(({ status }) => status)),
    faults.flatMap(({ issues }) => issues),
  );
}
