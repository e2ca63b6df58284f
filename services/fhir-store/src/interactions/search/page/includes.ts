import { isResourceType } from '@tributary/fhir-definitions';
import { type Include, type ResultParameters, includedReferences, referencing } from '@tributary/fhir-search';
import {
  type Direction,
  type ResourceKey,
  typeCodeOf,
  isResourceId,
  keyText,
  relativeReference,
  wholeLength,
} from '@tributary/record-storage';
import { forEachConcurrently } from '@tributary/service-kit';
import type { FhirRequest } from '../../../fhir-http/fhir-request';
import { badRequest } from '../../../fhir-http/fhir-error';
import { limits, tooCostly } from '../../../fhir-http/limits';
import { SearchMatch } from '../evaluate/search-match';
import { bytesOf, readManyInChunks } from '../evaluate/read-chunks';
import { matching, resolveSearch } from '../evaluate/evaluate-search';
import { type MatchPage, shortened } from './match-page';

/** The included resources exceed the limit of the page. */
class IncludeLimitExceeded extends Error {
  override readonly name = 'IncludeLimitExceeded';
}

/** A resource, or one version of it. */
type Target = ResourceKey & { readonly version?: number };

/** Referenced versions that are read at a time. */
const concurrentReads = 4;

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

/**
 * The resources that `_include` and `_revinclude` add to the matches of a page, each once; `:iterate` is applied until
 * it adds nothing (https://hl7.org/fhir/R4/search.html#revinclude).
 * @param maxBytes limit of the JSON of all included resources
 * @throws IncludeLimitExceeded; FhirError 400 when `:iterate` exceeds `limits.includeRounds`
 */
async function included(
  request: FhirRequest,
  { include, revinclude }: ResultParameters,
  matches: readonly SearchMatch[],
  maxBytes: number,
): Promise<SearchMatch[]> {
  const budget = new ByteBudget(maxBytes);
  const seen = new Set(matches.map(keyText));
  const all: SearchMatch[] = [];
  let hasVersions = false;
  let from = matches;
  for (let round = 0; from.length > 0; round++) {
    const active = (each: Include): boolean => round === 0 || each.iterate;
    const [forward, backward] = [include.filter(active), revinclude.filter(active)];
    if (forward.length === 0 && backward.length === 0) break;
    if (round === limits.includeRounds)
      throw tooCostly(
        `_include:iterate and _revinclude:iterate are followed for at most ${limits.includeRounds} rounds`,
      );
    const targets = targetsOf(request, forward, from, seen);
    const versions = await referencedVersions(request, targets, budget);
    hasVersions ||= versions.length > 0;
    from = [
      ...(await referencedResources(request, targets, budget)),
      ...versions,
      ...(await referring(request, backward, from, seen, budget)),
    ];
    all.push(...from);
  }
  return hasVersions ? eachVersionOnce(matches, all) : all;
}

/**
 * A resource comes once, but with several versions when references name them
 * (https://hl7.org/fhir/R4/search.html#versions).
 */
function eachVersionOnce(matches: readonly SearchMatch[], all: readonly SearchMatch[]): SearchMatch[] {
  const shown = new Set(matches.map(versionText));
  return all.filter((found) => {
    const text = versionText(found);
    const isShown = shown.has(text);
    shown.add(text);
    return !isShown;
  });
}

function versionText(found: SearchMatch): string {
  return `${keyText(found)}/${found.resource.meta?.versionId}`;
}

/** The remaining bytes of included resources. */
class ByteBudget {
  constructor(private bytes: number) {}

  /** @throws IncludeLimitExceeded */
  take(found: SearchMatch): SearchMatch {
    this.bytes -= wholeLength(found.json);
    if (this.bytes < 0) throw new IncludeLimitExceeded();
    return found;
  }
}

/** What the references lead to that was not seen before: resources, and versions of them. */
function targetsOf(
  request: FhirRequest,
  includes: readonly Include[],
  from: readonly SearchMatch[],
  seen: Set<string>,
): Target[] {
  const targets: Target[] = [];
  for (const found of from) {
    request.parsing?.take(found.json.length);
    for (const include of includes) {
      for (const reference of includedReferences(request.release, include, found.resource)) {
        const target = ownTarget(request, reference);
        if (!target) continue;
        const text = target.version === undefined ? keyText(target) : `${keyText(target)}/${target.version}`;
        if (seen.has(text)) continue;
        seen.add(text);
        targets.push(target);
      }
    }
  }
  return targets;
}

async function referencedResources(
  request: FhirRequest,
  targets: readonly Target[],
  budget: ByteBudget,
): Promise<SearchMatch[]> {
  const wanted = targets.filter(({ version }) => version === undefined);
  const all: SearchMatch[] = [];
  for await (const chunk of readManyInChunks(request.record, wanted)) {
    for (const { typeCode, id, json } of chunk) if (json) all.push(budget.take(new SearchMatch(typeCode, id, json)));
  }
  return all;
}

async function referencedVersions(
  request: FhirRequest,
  targets: readonly Target[],
  budget: ByteBudget,
): Promise<SearchMatch[]> {
  const all: SearchMatch[] = [];
  await forEachConcurrently(targets, concurrentReads, async ({ typeCode, id, version }) => {
    const stored = version === undefined ? undefined : await request.record.readVersion(typeCode, id, version);
    if (stored?.json) all.push(budget.take(new SearchMatch(typeCode, id, stored.json)));
  });
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

/** The resource of this service that a reference names, or one version of it; relative or by its full URL. */
export function ownTarget(
  { release, base }: Pick<FhirRequest, 'release' | 'base'>,
  reference: string,
): Target | undefined {
  const relative = reference.startsWith(`${base}/`) ? reference.slice(base.length + 1) : reference;
  const [, type = '', id = '', version] = /^([A-Za-z]+)\/([^/]+)(?:\/_history\/([1-9]\d{0,8}))?$/.exec(relative) ?? [];
  if (!isResourceId(id) || !isResourceType(release, type)) return undefined;
  return { typeCode: typeCodeOf(release, type), id, ...(version === undefined ? {} : { version: Number(version) }) };
}
