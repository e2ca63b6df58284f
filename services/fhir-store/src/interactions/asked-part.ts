import { type Resource, parseJson } from '@tributary/fhir-json';
import { parseSearch } from '@tributary/fhir-search';
import type { Answer } from '../http/answer';
import type { Call } from '../http/call';
import { subsetOf } from './search/subset';

/** The answer to a read, cut down to the part of the resource that `_summary` or `_elements` asks for. */
export function askedPart({ release, query }: Pick<Call, 'release' | 'query'>, type: string, answer: Answer): Answer {
  if (answer.body === undefined || !(query.has('_summary') || query.has('_elements'))) return answer;
  const pairs = [...query].filter(([name]) => name === '_summary' || name === '_elements');
  const subset = subsetOf(release, parseSearch(release, type, pairs).result);
  return subset ? { ...answer, body: subset(parseJson(answer.body.toString()) as Resource) } : answer;
}
