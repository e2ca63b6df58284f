import type { Release } from '@tributary/fhir-definitions';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { badRequest } from '../fhir-http/fhir-error';
import { asFhirError } from '../fhir-http/error-mapping';
import { type BundleEntry, segmentsOf } from './bundle-entry';
import { routeOf } from '../routing/routes';
import { requestOfEntry } from './entry-request';
import { forEachConcurrently } from '@tributary/service-kit';
import type { EntryResult } from './response-bundle';
import { ResponseSize } from './response-size';

/** The number of entries of one batch that run concurrently. */
const concurrency = 4;

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
  await forEachConcurrently(entries, concurrency, async (entry) => {
    results[entry.index] = size.fits(await runEntry(request, entry));
  });
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
