import type { Release } from '@tributary/fhir-definitions';
import {
  type Chain,
  type ContainedSearch,
  type Criterion,
  type Hierarchy,
  type ListMembership,
  type ReverseChain,
  type SearchQuery,
  type SubSearch,
  type Subquery,
  chainCriterion,
  childrenOf,
  containedSearch,
  containersOf,
  hierarchyCriterion,
  listCriterion,
  listMembers,
  parentsOf,
  reverseChainCriterion,
  reverseChainTargets,
} from '@tributary/fhir-search';
import {
  type Cursor,
  type KeyMatch,
  type RecordReader,
  typeCodeOf,
  isResourceId,
  relativeReference,
} from '@tributary/record-storage';
import { limits, tooCostly } from '../../../fhir-http/limits';
import { parseResource } from '../../../resources/resource-content';
import { readChunks, readManyInChunks, typeCodesBySize } from './read-chunks';
import { type Filter, filterOf } from './search-filter';
import { SearchMatch } from './search-match';

/** Rows of the first chunk that a scan reads. */
const firstChunk = 200;

/** The limit of keys that one statement reads. */
const maxKeys = 5000;

/**
 * Runs the subqueries of a search, innermost first, and returns the whole search as one filter.
 * @param more criteria in addition to those of the search
 * @throws FhirError 400 when a subquery selects more than `limits.linkedResources` resources
 */
export async function resolveSearch(
  record: RecordReader,
  release: Release,
  search: SubSearch,
  more: readonly Criterion[] = [],
): Promise<Filter> {
  const resolved = await resolveSubqueries(record, release, search.subqueries);
  return filterOf(record, release, search.types, [...search.criteria, ...more, ...resolved]);
}

/**
 * The same for a search with `_contained`.
 * @returns also the search for the contained resources themselves
 */
export async function resolveContainedSearch(
  record: RecordReader,
  release: Release,
  query: SearchQuery,
  more: readonly Criterion[] = [],
): Promise<{ filter: Filter; contained: ContainedSearch }> {
  const contained = containedSearch(query, await resolveSubqueries(record, release, query.subqueries));
  return { filter: await filterOf(record, release, [], [contained.criterion, ...more]), contained };
}

/**
 * The keys of all resources that pass a filter, in no defined order. Content is read only when the filter
 * needs it.
 */
async function* matchingKeys(record: RecordReader, filter: Filter): AsyncGenerator<Pick<KeyMatch, 'typeCode' | 'id'>> {
  const { typeCodes, where, matches } = filter;
  if (matches) {
    yield* matching(record, filter);
    return;
  }
  if (typeCodes.length === 0) return;
  let after: Cursor | undefined;
  let limit = firstChunk;
  do {
    const page = await record.search.keysPage({ typeCodes, where, limit, ...(after ? { after } : {}) });
    yield* page.matches;
    after = page.next;
    limit = Math.min(limit * 2, maxKeys);
  } while (after);
}

/** All resources that pass a filter, in no defined order. One chunk of content at a time is in memory. */
export async function* matching(
  record: RecordReader,
  { typeCodes, where, matches }: Filter,
): AsyncGenerator<SearchMatch> {
  for (const group of typeCodesBySize(typeCodes)) {
    for await (const { matches: candidates } of readChunks(record, { typeCodes: group, where }, firstChunk)) {
      for (const { typeCode, id, json } of candidates) {
        const found = new SearchMatch(typeCode, id, json);
        if (!matches || matches(found)) yield found;
      }
    }
  }
}

function resolveSubqueries(
  record: RecordReader,
  release: Release,
  subqueries: readonly Subquery[],
): Promise<Criterion[]> {
  return Promise.all(subqueries.map((subquery) => resolveSubquery(record, release, subquery)));
}

function resolveSubquery(record: RecordReader, release: Release, subquery: Subquery): Promise<Criterion> {
  switch (subquery.kind) {
    case 'chain':
      return resolveChain(record, release, subquery);
    case 'reverse-chain':
      return resolveReverseChain(record, release, subquery);
    case 'list':
      return resolveListMembership(record, release, subquery);
    case 'hierarchy':
      return resolveHierarchy(record, release, subquery);
  }
}

/**
 * Resolves a chain. The target of a reference is a resource of the record, or a contained resource of the referring
 * resource.
 */
async function resolveChain(record: RecordReader, release: Release, chain: Chain): Promise<Criterion> {
  const { target } = chain;
  const resolved = await resolveSubqueries(record, release, target.subqueries);
  const containers = containersOf(chain, resolved);
  return chainCriterion(
    chain,
    resolved,
    ...(await Promise.all([
      referencesTo(record, await filterOf(record, release, target.types, [...target.criteria, ...resolved])),
      referencesTo(record, await filterOf(record, release, containers.types, containers.criteria)),
    ])),
  );
}

async function resolveReverseChain(record: RecordReader, release: Release, chain: ReverseChain): Promise<Criterion> {
  const { types, criteria, subqueries } = chain.source;
  const resolved = await resolveSubqueries(record, release, subqueries);
  const targets = new Set<string>();
  for await (const { resource } of matching(
    record,
    await filterOf(record, release, types, [...criteria, ...resolved]),
  )) {
    for (const target of reverseChainTargets(chain, resource)) targets.add(target);
    if (targets.size > limits.linkedResources) throw tooManyLinked();
  }
  return reverseChainCriterion(chain, resolved, [...targets]);
}

async function resolveListMembership(record: RecordReader, release: Release, list: ListMembership): Promise<Criterion> {
  const stored = isResourceId(list.listId) ? await record.read(typeCodeOf(release, 'List'), list.listId) : undefined;
  return listCriterion(list, stored?.json ? listMembers(parseResource(stored.json)) : []);
}

/** Traverses the hierarchy level by level. Each resource is visited once, so a cycle terminates. */
async function resolveHierarchy(record: RecordReader, release: Release, hierarchy: Hierarchy): Promise<Criterion> {
  const nextLevel = hierarchy.direction === 'below' ? findChildren : findParents;
  const reached = new Set(hierarchy.start);
  for (let level = [...reached]; level.length > 0;) {
    const next = await nextLevel(record, release, hierarchy, level);
    level = [...new Set(next)].filter((reference) => !reached.has(reference));
    for (const reference of level) reached.add(reference);
    if (reached.size > limits.linkedResources) throw tooManyLinked();
  }
  return hierarchyCriterion(hierarchy, [...reached]);
}

async function findChildren(
  record: RecordReader,
  release: Release,
  hierarchy: Hierarchy,
  level: readonly string[],
): Promise<string[]> {
  const children = await Promise.all(
    childrenOf(hierarchy, level).map(async (search) =>
      referencesTo(record, await resolveSearch(record, release, search)),
    ),
  );
  return children.flat();
}

async function findParents(
  record: RecordReader,
  release: Release,
  hierarchy: Hierarchy,
  level: readonly string[],
): Promise<string[]> {
  const keys = level
    .map((reference) => reference.split('/') as [string, string])
    .filter(([, id]) => isResourceId(id))
    .map(([type, id]) => ({ typeCode: typeCodeOf(release, type), id }));
  const parents: string[] = [];
  for await (const chunk of readManyInChunks(record, keys)) {
    for (const { json } of chunk) if (json) parents.push(...parentsOf(hierarchy, parseResource(json)));
  }
  return parents;
}

/**
 * References to everything that passes the filter.
 * @throws FhirError 400 when there are more than `limits.linkedResources`
 */
async function referencesTo(record: RecordReader, filter: Filter): Promise<string[]> {
  const references: string[] = [];
  for await (const { typeCode, id } of matchingKeys(record, filter)) {
    if (references.length === limits.linkedResources) throw tooManyLinked();
    references.push(relativeReference({ typeCode, id }));
  }
  return references;
}

function tooManyLinked(): Error {
  return tooCostly(
    `a chain, _has, _list or hierarchy of a search may select at most ${limits.linkedResources} resources: narrow it down`,
  );
}
