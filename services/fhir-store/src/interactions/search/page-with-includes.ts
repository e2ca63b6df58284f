import type { ResultParameters } from '@tributary/fhir-search';
import type { Call } from '../../fhir-http/fhir-request';
import { badRequest } from '../../fhir-http/fhir-error';
import { type Found, type FoundPage, shortened } from './search-match';
import { TooMuchIncluded, included } from './includes';
import { pageBytes } from './page-limit';
import { bytesOf } from './read-chunks';

/** What a single match may draw in: its page cannot be any shorter. */
const mostForOne = 4 * pageBytes;

/**
 * A page with what its matches draw in, which must stand on the same page. When that is too much, the page has fewer matches and the next one
 * begins earlier.
 * @throws FhirError 400 when a single match draws in more than an answer can hold
 */
export async function withIncludes(
  call: Call,
  result: ResultParameters,
  page: FoundPage,
): Promise<{ page: FoundPage; drawnIn: Found[] }> {
  if (page.matches.length === 0 || (result.include.length === 0 && result.revinclude.length === 0))
    return { page, drawnIn: [] };
  const isOne = page.matches.length === 1;
  try {
    return {
      page,
      drawnIn: await included(call, result, page.matches, isOne ? mostForOne : pageBytes - bytesOf(page.matches)),
    };
  } catch (error) {
    if (!(error instanceof TooMuchIncluded)) throw error;
    if (isOne)
      throw badRequest(
        '_include and _revinclude draw in more for one resource than an answer can hold; search for it page by page',
        'too-costly',
      );
    return withIncludes(call, result, shortened(page, page.matches.length >>> 1));
  }
}
