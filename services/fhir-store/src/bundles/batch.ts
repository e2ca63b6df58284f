import type { FhirRequest } from '../fhir-http/fhir-request';
import { badRequest } from '../fhir-http/fhir-error';
import { asFhirError } from '../fhir-http/error-mapping';
import { type BundleEntry, segmentsOf } from './bundle-entry';
import { routeOf } from '../routing/routes';
import { requestOfEntry } from './entry-request';
import { forEachConcurrently } from './for-each-concurrently';
import type { EntryResult } from './response-bundle';
import { ResponseSize } from './response-size';

/** Entries of one batch that run concurrently. */
const concurrency = 4;

/**
 * Carries out the entries of a batch, each for itself; one that fails leaves the others alone.
 * @throws what ends the whole, such as a lost database; no entry is begun or still running then
 */
export async function runBatch(request: FhirRequest, entries: readonly BundleEntry[]): Promise<EntryResult[]> {
  const results: EntryResult[] = [];
  const size = new ResponseSize();
  await forEachConcurrently(entries, concurrency, async (entry) => {
    results[entry.index] = size.fits(await runEntry(request, entry));
  });
  return results;
}

/** Carries out one entry. An error of the service itself, such as a lost database, ends the whole. */
export async function runEntry(request: FhirRequest, entry: BundleEntry): Promise<EntryResult> {
  try {
    const segments = segmentsOf(entry);
    if (segments.length === 0 && entry.method !== 'GET')
      throw badRequest('a Bundle cannot stand in a Bundle', 'not-supported');
    return await routeOf(request.release, entry.method, segments).run(requestOfEntry(request, entry));
  } catch (error) {
    const known = asFhirError(error);
    if (known.status >= 500) throw error;
    return known;
  }
}
