import { type KeyMatch, typeCodeOf } from '@tributary/record-storage';
import type { ReadRequest } from '../../fhir-http/fhir-request';
import { preconditionFailed } from '../../fhir-http/fhir-error';
import { limits, tooCostly } from '../../fhir-http/limits';
import { readSearch } from '../search/evaluate/read-search';
import { matching, resolveSearch } from '../search/evaluate/evaluate-search';

/** A resource that matches criteria, with its version at the time of the search. */
export type Match = Pick<KeyMatch, 'typeCode' | 'id' | 'version'>;

/**
 * The resources that match the criteria of a conditional interaction.
 * @param limit the maximum number of matches
 * @throws FhirError 412 when there are no criteria; SearchError when a criterion is not supported, because ignoring it
 * would select other resources, and for a parameter for the result
 */
async function matchesOf(
  request: ReadRequest,
  type: string,
  criteria: URLSearchParams,
  limit: number,
): Promise<Match[]> {
  const query = await readSearch(request, type, criteria, { strict: true, criteriaOnly: true });
  if (query.criteria.length === 0 && query.subqueries.length === 0)
    throw preconditionFailed('a conditional interaction requires a search criterion');
  const filter = await resolveSearch(request.record, request.release, query);
  const found: Match[] = [];
  // What is changed or deleted is decided on its content, and not by the index alone.
  for await (const match of matching(request.record, { ...filter, matches: filter.matchesContent })) {
    const { typeCode, id, resource } = match;
    if (typeCode !== typeCodeOf(request.release, type)) throw new Error('the search has left the type of the request');
    found.push({ typeCode, id, version: Number(resource.meta?.versionId) });
    if (found.length >= limit) break;
  }
  return found;
}

/** The only match of the criteria; undefined without a match. @throws FhirError 412 when several resources match */
export async function onlyMatch(
  request: ReadRequest,
  type: string,
  criteria: URLSearchParams,
): Promise<Match | undefined> {
  const found = await matchesOf(request, type, criteria, 2);
  if (found.length > 1) throw preconditionFailed('more than one resource matches the criteria');
  return found[0];
}

/** Whether anything matches the criteria. */
export async function hasMatch(request: ReadRequest, type: string, criteria: URLSearchParams): Promise<boolean> {
  return (await matchesOf(request, type, criteria, 1)).length > 0;
}

/** All matches of a conditional delete. @throws FhirError 400 when there are more than `limits.conditionalDeletes` */
export async function matchesToDelete(request: ReadRequest, type: string, criteria: URLSearchParams): Promise<Match[]> {
  const found = await matchesOf(request, type, criteria, limits.conditionalDeletes + 1);
  if (found.length > limits.conditionalDeletes)
    throw tooCostly(`a conditional delete removes ${limits.conditionalDeletes} resources at most`);
  return found;
}

/** Parses criteria such as `identifier=x` or `Patient?identifier=x`. */
export function criteriaIn(text: string): URLSearchParams {
  return new URLSearchParams(text.slice(text.indexOf('?') + 1));
}
