import type { FhirRequest } from '../fhir-http/fhir-request';
import { badRequest } from '../fhir-http/fhir-error';
import { asFhirError } from '../fhir-http/error-mapping';
import { type BundleEntry, segmentsOf } from './bundle-entry';
import { type RouteFinder, requestOfEntry } from './entry-request';
import { forEachConcurrently } from './for-each-concurrently';
import type { EntryResult } from './response-bundle';
import { ResponseSize } from './response-size';

const atOnce = 4;

/**
 * Carries out the entries of a batch, each for itself; one that fails leaves the others alone.
 * @throws what ends the whole, such as a lost database; no entry is begun or still running then
 */
export async function runBatch(
  request: FhirRequest,
  entries: readonly BundleEntry[],
  routeFor: RouteFinder,
): Promise<EntryResult[]> {
  const results: EntryResult[] = [];
  const size = new ResponseSize();
  await forEachConcurrently(entries, atOnce, async (entry) => {
    results[entry.place] = size.fits(await runEntry(request, entry, routeFor));
  });
  return results;
}

/** Carries out one entry. An error of the service itself, such as a lost database, ends the whole. */
export async function runEntry(request: FhirRequest, entry: BundleEntry, routeFor: RouteFinder): Promise<EntryResult> {
  try {
    const segments = segmentsOf(entry);
    if (segments.length === 0 && entry.method !== 'GET')
      throw badRequest('a Bundle cannot stand in a Bundle', 'not-supported');
    return await routeFor(entry.method, segments).run(requestOfEntry(request, entry));
  } catch (error) {
    const known = asFhirError(error);
    if (known.status >= 500) throw error;
    return known;
  }
}
