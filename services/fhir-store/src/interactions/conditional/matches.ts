import type { KeyMatch } from '@tributary/record-storage';
import type { ReadRequest } from '../../fhir-http/fhir-request';
import { preconditionFailed } from '../../fhir-http/fhir-error';
import { limits, tooCostly } from '../../fhir-http/limits';
import { readSearch } from '../search/read-search';
import { matchingKeys } from '../search/matching';
import { resolveSearch } from '../search/resolve-subqueries';

/** A resource that criteria name, with its version when it was found. */
export type Match = Pick<KeyMatch, 'typeCode' | 'id' | 'version'>;

/**
 * The resources that the criteria of a conditional interaction name.
 * @param enough the search ends with so many
 * @throws FhirError 412 when the criteria select nothing at all, SearchError when one of them is not supported: it must not be left out
 */
async function matchesOf(
  request: ReadRequest,
  type: string,
  criteria: URLSearchParams,
  enough: number,
): Promise<Match[]> {
  const query = await readSearch(request, type, criteria, { strict: true });
  if (query.criteria.length === 0 && query.subqueries.length === 0)
    throw preconditionFailed('the criteria select nothing');
  const found: Match[] = [];
  for await (const match of matchingKeys(
    request.record,
    await resolveSearch(request.record, request.release, query),
    enough,
  )) {
    found.push(match);
    if (found.length >= enough) break;
  }
  return found;
}

/** The one resource that the criteria name, or none. @throws FhirError 412 when there are several */
export async function onlyMatch(
  request: ReadRequest,
  type: string,
  criteria: URLSearchParams,
): Promise<Match | undefined> {
  const found = await matchesOf(request, type, criteria, 2);
  if (found.length > 1) throw preconditionFailed('more than one resource matches the criteria');
  return found[0];
}

/** All resources that the criteria of a conditional delete name. @throws FhirError 400 when they are too many for one request */
export async function matchesToDelete(request: ReadRequest, type: string, criteria: URLSearchParams): Promise<Match[]> {
  const found = await matchesOf(request, type, criteria, limits.conditionalDeletes + 1);
  if (found.length > limits.conditionalDeletes)
    throw tooCostly(`a conditional delete removes ${limits.conditionalDeletes} resources at most`);
  return found;
}

/** The criteria in a text such as `identifier=x` or `Patient?identifier=x`. */
export function criteriaIn(text: string): URLSearchParams {
  return new URLSearchParams(text.slice(text.indexOf('?') + 1));
}
