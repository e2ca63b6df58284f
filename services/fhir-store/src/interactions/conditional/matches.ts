import { createHmac } from 'node:crypto';
import type { Call } from '../../http/call';
import { preconditionFailed } from '../../http/fhir-error';
import { idOfHash } from '../../records/resource-id';
import type { Found } from '../search/found';
import { readSearch } from '../search/read-search';
import { matching, resolveSearch } from '../search/resolve-links';

/**
 * The resources that the criteria of a conditional interaction name.
 * @param enough the search ends with so many
 * @throws FhirError 412 when the criteria select nothing at all, SearchError when one of them is not supported: it must not be left out
 */
export async function matchesOf(call: Call, type: string, criteria: URLSearchParams, enough = Infinity): Promise<Found[]> {
  const query = await readSearch(call, type, criteria, { strict: true });
  if (query.criteria.length === 0 && query.links.length === 0) throw preconditionFailed('the criteria select nothing');
  const found: Found[] = [];
  for await (const match of matching(call.record, await resolveSearch(call.record, call.release, query))) {
    found.push(match);
    if (found.length >= enough) break;
  }
  return found;
}

/** The one resource that the criteria name, or none. @throws FhirError 412 when there are several */
export async function onlyMatch(call: Call, type: string, criteria: URLSearchParams): Promise<Found | undefined> {
  const found = await matchesOf(call, type, criteria, 2);
  if (found.length > 1) throw preconditionFailed('more than one resource matches the criteria');
  return found[0];
}

/** The criteria in a text such as `identifier=x` or `Patient?identifier=x`. */
export function criteriaIn(text: string): URLSearchParams {
  return new URLSearchParams(text.slice(text.indexOf('?') + 1));
}

/**
 * The id of a resource that is created because nothing matches: the same for the same criteria, so that of several such creations at once one wins and
 * the others find it, in whichever process they run.
 */
export async function idForCriteria(call: Call, type: string, criteria: URLSearchParams): Promise<string> {
  const canonical = [...criteria].map(([name, value]) => `${name}=${value}`).toSorted().join('&');
  return idOfHash(createHmac('sha256', await call.record.secret('ids of conditional creations')).update(`${call.release}|${type}|${canonical}`).digest());
}
