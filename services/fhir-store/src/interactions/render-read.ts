import { type Resource, parseJson, stringifyJson } from '@tributary/fhir-json';
import { parseSearch } from '@tributary/fhir-search';
import type { Answer } from '../fhir-http/fhir-response';
import type { Call } from '../fhir-http/fhir-request';
import { readInR4, showsInR4 } from './conversion/resource-in-r4';
import { type Subset, subsetOf } from './search/subset';

/**
 * The answer to a read, in the release that is asked for and cut down to the part of the resource that `_summary` or `_elements` asks for.
 * @throws FhirError 406 when the resource cannot be had in the release
 */
export function askedPart(call: Call, type: string, answer: Answer): Answer {
  const isConverted = showsInR4(call);
  if (answer.body === undefined || !(isConverted || asksForPart(call))) return answer;
  const stored = parseJson(answer.body.toString()) as Resource;
  const resource = isConverted ? readInR4(call, stored) : stored;
  const subset = asksForPart(call) ? subsetFor(call, type) : undefined;
  if (!subset && !isConverted) return answer;
  return { ...answer, body: subset ? subset(resource) : stringifyJson(resource) };
}

function asksForPart({ query }: Call): boolean {
  return query.has('_summary') || query.has('_elements');
}

function subsetFor({ release, shownRelease, query }: Call, type: string): Subset | undefined {
  const pairs = [...query].filter(([name]) => name === '_summary' || name === '_elements');
  return subsetOf(shownRelease, parseSearch(release, type, pairs).result);
}
