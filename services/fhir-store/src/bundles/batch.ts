import { type Release, isResourceType } from '@tributary/fhir-definitions';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { badRequest } from '../fhir-http/fhir-error';
import { asFhirError } from '../fhir-http/error-mapping';
import { type BundleEntry, segmentsOf } from './bundle-entry';
import { routeOf } from '../routing/routes';
import { requestOfEntry } from './entry-request';
import { forEachConcurrently } from '@tributary/service-kit';
import type { EntryResult } from './response-bundle';
import { ResponseSize } from './response-size';

/** The number of entries of one batch that run concurrently, or of groups of creates. */
const concurrency = 4;
/** Creates that follow one another are written together, this many at most. */
const createsInGroup = 100;

/**
 * Runs the entries of a batch independently (https://hl7.org/fhir/R4/http.html#transaction). The failure of one entry
 * does not affect the others.
 * @param results receives the result of each entry
 * @throws errors of the service, such as a lost database connection; no further entry is started
 */
export async function runBatch(
  request: FhirRequest,
  entries: readonly BundleEntry[],
  results: EntryResult[],
): Promise<void> {
  const size = new ResponseSize(request.contentLimits.bundleBytes);
  await forEachConcurrently(groupsOf(request.release, entries), concurrency, async (group) => {
    const shared = group.length > 1 ? { ...request, record: request.record.groupingCreates() } : request;
    const run = async (entry: BundleEntry): Promise<void> => {
      results[entry.index] = size.fits(await runEntry(shared, entry));
    };
    const failed = (await Promise.allSettled(group.map(run))).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  });
}

/** The entries in their order: creates that follow one another as one group, each other entry as a group of its own. */
function groupsOf(release: Release, entries: readonly BundleEntry[]): BundleEntry[][] {
  const groups: BundleEntry[][] = [];
  let creates: BundleEntry[] = [];
  for (const entry of entries) {
    if (!isCreate(release, entry)) {
      groups.push([entry]);
      creates = [];
    } else if (creates.length > 0 && creates.length < createsInGroup) creates.push(entry);
    else groups.push((creates = [entry]));
  }
  return groups;
}

/** Whether an entry creates a resource whatever the record contains. */
function isCreate(release: Release, { method, segments, headers }: BundleEntry): boolean {
  const [type, ...others] = segments ?? [];
  return (
    method === 'POST' &&
    type !== undefined &&
    others.length === 0 &&
    isResourceType(release, type) &&
    headers.ifNoneExist === undefined
  );
}

/** The name of the route of an entry; empty when there is none, so that the entry fails. */
export function routeNameOf(release: Release, { method, segments }: BundleEntry): string {
  try {
    return segments ? routeOf(release, method, segments).name : '';
  } catch {
    return '';
  }
}

/** Runs one entry. @throws errors of the service, such as a lost database connection */
export async function runEntry(request: FhirRequest, entry: BundleEntry): Promise<EntryResult> {
  try {
    const segments = segmentsOf(entry);
    if (segments.length === 0 && entry.method !== 'GET')
      throw badRequest('a Bundle is not allowed in a Bundle', 'not-supported');
    return await routeOf(request.release, entry.method, segments).run(requestOfEntry(request, entry));
  } catch (error) {
    const known = asFhirError(error, entry.method === 'GET');
    if (known.status >= 500) throw error;
    return known;
  }
}
