import type { ResultParameters } from '@tributary/fhir-search';
import type { Direction } from '@tributary/record-storage';
import type { FhirRequest } from '../../../fhir-http/fhir-request';
import { badRequest } from '../../../fhir-http/fhir-error';
import type { SearchMatch } from '../evaluate/search-match';
import { type MatchPage, shortened } from './match-page';
import { IncludeLimitExceeded, included } from './includes';
import { bytesOf } from '../evaluate/read-chunks';

/** How many pages the resources included for a single match may fill. Its page cannot be shortened. */
const maxIncludedPages = 4;

/**
 * Adds the resources that are included for the matches of a page (https://hl7.org/fhir/R4/search.html#include). Matches
 * and their included resources must be on the same page, so a page that is too large gets fewer matches, and the page
 * that is read next gets the others.
 * @throws FhirError 400 when the resources included for a single match exceed the limit
 */
export async function withIncludes(
  request: FhirRequest,
  result: ResultParameters,
  page: MatchPage,
  direction: Direction,
): Promise<{ page: MatchPage; included: SearchMatch[] }> {
  if (page.matches.length === 0 || (result.include.length === 0 && result.revinclude.length === 0))
    return { page, included: [] };
  const isOne = page.matches.length === 1;
  const { pageBytes } = request.contentLimits;
  try {
    return {
      page,
      included: await included(
        request,
        result,
        page.matches,
        isOne ? maxIncludedPages * pageBytes : pageBytes - bytesOf(page.matches),
      ),
    };
  } catch (error) {
    if (!(error instanceof IncludeLimitExceeded)) throw error;
    if (isOne)
      throw badRequest(
        '_include and _revinclude add more to one resource than a page can hold; search for it page by page',
        'too-costly',
      );
    return withIncludes(request, result, shortened(page, page.matches.length >>> 1, direction), direction);
  }
}
