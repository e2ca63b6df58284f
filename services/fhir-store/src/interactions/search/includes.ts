import { isResourceType } from '@tributary/fhir-definitions';
import { type Include, type ResultParameters, includedReferences, referencing } from '@tributary/fhir-search';
import { type ResourceKey, typeCodeOf, isResourceId, keyText, relativeReference } from '@tributary/record-storage';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { limits, tooCostly } from '../../fhir-http/limits';
import { SearchMatch } from './search-match';
import { readManyInChunks } from './read-chunks';
import { matching, resolveSearch } from './evaluate-search';

/** The included resources exceed the limit of the page. */
export class IncludeLimitExceeded extends Error {
  override readonly name = 'IncludeLimitExceeded';
}

/**
 * The resources that `_include` and `_revinclude` add to the matches of a page, each once; `:iterate` is applied until
 * it adds nothing (https://hl7.org/fhir/R4/search.html#revinclude).
 * @param maxBytes limit of the JSON of all included resources
 * @throws IncludeLimitExceeded; FhirError 400 when `:iterate` exceeds `limits.includeRounds`
 */
export async function included(
  request: FhirRequest,
  { include, revinclude }: ResultParameters,
  matches: readonly SearchMatch[],
  maxBytes: number,
): Promise<SearchMatch[]> {
  const budget = new ByteBudget(maxBytes);
  const seen = new Set(matches.map(keyText));
  const all: SearchMatch[] = [];
  let from = matches;
  for (let round = 0; from.length > 0; round++) {
    const active = (each: Include): boolean => round === 0 || each.iterate;
    const [forward, backward] = [include.filter(active), revinclude.filter(active)];
    if (forward.length === 0 && backward.length === 0) break;
    if (round === limits.includeRounds)
      throw tooCostly(
        `_include:iterate and _revinclude:iterate are followed for at most ${limits.includeRounds} rounds`,
      );
    const found = [
      ...(await referencedResources(request, forward, from, seen, budget)),
      ...(await referring(request, backward, from, seen, budget)),
    ];
    all.push(...found);
    from = found;
  }
  return all;
}

/** The remaining bytes of included resources. */
class ByteBudget {
  constructor(private bytes: number) {}

  /** @throws IncludeLimitExceeded */
  take(found: SearchMatch): SearchMatch {
    this.bytes -= found.json.length;
    if (this.bytes < 0) throw new IncludeLimitExceeded();
    return found;
  }
}

async function referencedResources(
  request: FhirRequest,
  includes: readonly Include[],
  from: readonly SearchMatch[],
  seen: Set<string>,
  budget: ByteBudget,
): Promise<SearchMatch[]> {
  const wanted: ResourceKey[] = [];
  for (const { resource } of from) {
    for (const include of includes) {
      for (const reference of includedReferences(request.release, include, resource)) {
        const target = ownTarget(request, reference);
        if (!target || seen.has(keyText(target))) continue;
        seen.add(keyText(target));
        wanted.push(target);
      }
    }
  }
  const all: SearchMatch[] = [];
  for await (const chunk of readManyInChunks(request.record, wanted)) {
    for (const { typeCode, id, json } of chunk) if (json) all.push(budget.take(new SearchMatch(typeCode, id, json)));
  }
  return all;
}

async function referring(
  request: FhirRequest,
  includes: readonly Include[],
  from: readonly SearchMatch[],
  seen: Set<string>,
  budget: ByteBudget,
): Promise<SearchMatch[]> {
  const references = from.map(relativeReference);
  const all: SearchMatch[] = [];
  for (const include of includes) {
    const filter = await resolveSearch(
      request.record,
      request.release,
      referencing(request.release, include, references),
    );
    for await (const found of matching(request.record, filter)) {
      if (seen.has(keyText(found))) continue;
      seen.add(keyText(found));
      all.push(budget.take(found));
    }
  }
  return all;
}

/** The resource of this service that a reference names, relative or by its full URL. */
export function ownTarget(
  { release, base }: Pick<FhirRequest, 'release' | 'base'>,
  reference: string,
): ResourceKey | undefined {
  const relative = reference.startsWith(`${base}/`) ? reference.slice(base.length + 1) : reference;
  const [type = '', id = '', ...rest] = relative.split('/');
  return rest.length === 0 && isResourceId(id) && isResourceType(release, type)
    ? { typeCode: typeCodeOf(release, type), id }
    : undefined;
}
