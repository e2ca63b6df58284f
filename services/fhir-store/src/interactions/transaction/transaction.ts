import type { Resource } from '@tributary/fhir-json';
import { type Change, type ChangeOutcome, VersionConflictError, kindOf } from '@tributary/record-storage';
import type { Answer } from '../../http/answer';
import type { Call } from '../../http/call';
import { FhirError, badRequest } from '../../http/fhir-error';
import { clientContent } from '../../records/resource-content';
import { versionAnswer } from '../read';
import { writtenAnswer } from '../written-answer';
import { runEntry } from './batch';
import { type BundleEntry, isRead, segmentsOf } from './bundle-entry';
import { BundleReferences } from './bundle-references';
import type { RouteFinder } from './entry-call';
import { type PlannedWrite, planWrite, validated } from './planned-write';
import type { EntryResult } from './response-bundle';
import { ResponseSize } from './response-size';

type Store = Extract<PlannedWrite, { does: 'store' }>;

/**
 * Carries out a transaction: all of its writes or none, in one transaction of the database; what it reads, it reads after them.
 * Entries refer to each other by their fullUrl, whatever their order.
 */
export async function runTransaction(call: Call, entries: readonly BundleEntry[], routeFor: RouteFinder): Promise<EntryResult[]> {
  for (const entry of entries) segmentsOf(entry);
  const results: EntryResult[] = [];
  const writes = entries.filter((entry) => !isRead(entry));
  for (const [entry, answer] of await write(call, writes)) results[entry.place] = answer;
  const size = new ResponseSize();
  for (const entry of entries.filter(isRead)) results[entry.place] = size.fits(await runEntry(call, entry, routeFor));
  return results;
}

async function write(call: Call, entries: readonly BundleEntry[]): Promise<[BundleEntry, Answer][]> {
  const conditional = entries.some(({ headers }) => headers.ifNoneExist !== undefined);
  try {
    return await writeOnce(call, entries);
  } catch (error) {
    // Somebody else created what a conditional creation did not find: now it is found.
    if (!(error instanceof VersionConflictError) || !conditional || error.expected !== 0) throw error;
    return writeOnce(call, entries);
  }
}

async function writeOnce(call: Call, entries: readonly BundleEntry[]): Promise<[BundleEntry, Answer][]> {
  const plans = await planAll(call, entries);
  assertEachOnce(plans);
  assertNamedApart(plans);
  const stores = plans.filter((plan): plan is Store => plan.does === 'store');
  const references = new BundleReferences(plans);
  await references.findConditional(call, stores.map(({ resource }) => resource));
  const resources = validAll(call, stores, references);
  const changes = plans.flatMap((plan) => changesOf(call, plan, resources));
  const outcomes = new Map((await call.record.write(changes, { returnLines: true })).map((outcome) => [`${outcome.kind}/${outcome.id}`, outcome]));
  const answers: [BundleEntry, Answer][] = [];
  for (const plan of plans) answers.push([plan.entry, await answerOf(call, plan, outcomes)]);
  return answers;
}

async function planAll(call: Call, entries: readonly BundleEntry[]): Promise<PlannedWrite[]> {
  const plans: PlannedWrite[] = [];
  for (const entry of entries) plans.push(await planWrite(call, entry));
  return plans;
}

function assertEachOnce(plans: readonly PlannedWrite[]): void {
  const seen = new Set<string>();
  for (const plan of plans) {
    if (plan.does === 'keep') continue;
    for (const id of plan.does === 'store' ? [plan.id] : plan.ids) {
      const key = `${plan.type}/${id}`;
      if (seen.has(key)) throw badRequest(`Bundle.entry[${plan.entry.place}] is about a resource that another entry is about`, 'invariant');
      seen.add(key);
    }
  }
}

/** Nobody could tell which of two entries a reference to their fullUrl means. */
function assertNamedApart(plans: readonly PlannedWrite[]): void {
  const seen = new Set<string>();
  for (const { does, entry } of plans) {
    if (does === 'delete' || entry.fullUrl === undefined) continue;
    if (seen.has(entry.fullUrl)) throw badRequest(`Bundle.entry[${entry.place}].fullUrl is that of another entry, too`, 'invariant');
    seen.add(entry.fullUrl);
  }
}

/** The resources to store, each valid. @throws FhirError with the faults of all of them */
function validAll(call: Call, stores: readonly Store[], references: BundleReferences): Map<Store, Resource> {
  const valid = new Map<Store, Resource>();
  const faults: FhirError[] = [];
  for (const plan of stores) {
    try {
      valid.set(plan, validated(call, plan, references.resolve(plan.resource)));
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
      faults.push(error);
    }
  }
  if (faults.length > 0) throw new FhirError(Math.min(...faults.map(({ status }) => status)), faults.flatMap(({ issues }) => issues));
  return valid;
}

function changesOf(call: Call, plan: PlannedWrite, resources: ReadonlyMap<Store, Resource>): Change[] {
  if (plan.does === 'keep') return [];
  const kind = kindOf(call.release, plan.type);
  const expected = plan.expectedVersion === undefined ? {} : { expectedVersion: plan.expectedVersion };
  if (plan.does === 'delete') return plan.ids.map((id) => ({ kind, id, delete: true as const, ...expected }));
  return [{ kind, id: plan.id, ...clientContent(call, resources.get(plan) as Resource), ...expected }];
}

async function answerOf(call: Call, plan: PlannedWrite, outcomes: ReadonlyMap<string, ChangeOutcome>): Promise<Answer> {
  const kind = kindOf(call.release, plan.type);
  if (plan.does === 'delete') return { status: 204, version: plan.ids.length === 1 ? outcomes.get(`${kind}/${plan.ids[0]}`)?.version || undefined : undefined };
  if (plan.does === 'keep') {
    const stored = await call.record.read(kind, plan.id);
    return { ...versionAnswer({ ...call, headers: {} }, plan.type, stored), location: stored && `${call.base}/${plan.type}/${plan.id}/_history/${stored.version}` };
  }
  const outcome = outcomes.get(`${kind}/${plan.id}`) as ChangeOutcome;
  return writtenAnswer(call, outcome.outcome === 'created' ? 201 : 200, { ...outcome, line: outcome.line as Buffer });
}
