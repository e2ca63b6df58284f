import type { Release } from '@tributary/fhir-definitions';
import {
  type ChainLink,
  type Criterion,
  type HierarchyLink,
  type SearchLink,
  type SubSearch,
  listMembers,
} from '@tributary/fhir-search';
import { type Cursor, type KeyMatch, type RecordReader, typeCodeOf, typeOfCode } from '@tributary/record-storage';
import { limits, tooCostly } from '../../fhir-http/limits';
import { isResourceId } from '../../resources/resource-id';
import { parseResource } from '../../resources/stored-resource';
import { type Filter, filterOf } from './search-filter';
import { SearchMatch } from './search-match';
import { kindsBySize, readChunks, readManyInChunks } from './read-chunks';

const firstChunk = 200;

/** Answers what other searches or reads must answer first (chains, `_has`, `_list`) and gives the whole as one filter. */
export async function resolveSearch(
  record: RecordReader,
  release: Release,
  search: SubSearch,
  more: readonly Criterion[] = [],
): Promise<Filter> {
  const linked = await resolveLinks(record, release, search.links);
  return filterOf(record, release, search.types, [...search.criteria, ...more, ...linked]);
}

function resolveLinks(record: RecordReader, release: Release, links: readonly SearchLink[]): Promise<Criterion[]> {
  return Promise.all(links.map((link) => resolveLink(record, release, link)));
}

/** What a chain leads to is a resource of the record, or lies in the very resource that refers to it. */
async function resolveChain(
  record: RecordReader,
  release: Release,
  { target, holders, criterion }: ChainLink,
): Promise<Criterion> {
  const linked = await resolveLinks(record, release, target.links);
  const within = holders(linked);
  const [references, holding] = await Promise.all([
    referencesTo(record, await filterOf(record, release, target.types, [...target.criteria, ...linked])),
    referencesTo(record, await filterOf(record, release, within.types, within.criteria)),
  ]);
  return criterion(references, holding);
}

async function resolveLink(record: RecordReader, release: Release, link: SearchLink): Promise<Criterion> {
  switch (link.kind) {
    case 'chain':
      return resolveChain(record, release, link);
    case 'has': {
      const references = new Set<string>();
      for await (const found of matching(record, await resolveSearch(record, release, link.source))) {
        for (const reference of link.referencesOf(found.resource)) references.add(reference);
        if (references.size > limits.linkedResources) throw tooManyLinked();
      }
      return link.criterion([...references]);
    }
    case 'list': {
      const stored = isResourceId(link.listId)
        ? await record.read(typeCodeOf(release, 'List'), link.listId)
        : undefined;
      return link.criterion(stored?.json ? listMembers(parseResource(stored.json)) : []);
    }
    case 'hierarchy':
      return link.criterion(await hierarchyFrom(record, release, link));
  }
}

/** Level by level, each resource once, so that a circle ends. */
async function hierarchyFrom(record: RecordReader, release: Release, link: HierarchyLink): Promise<string[]> {
  const all = new Set(link.start);
  for (let level = [...all]; level.length > 0;) {
    const next =
      link.direction === 'below'
        ? await partsOf(record, release, link, level)
        : await wholesOf(record, release, link, level);
    level = [...new Set(next)].filter((reference) => !all.has(reference));
    for (const reference of level) all.add(reference);
    if (all.size > limits.linkedResources) throw tooManyLinked();
  }
  return [...all];
}

async function partsOf(
  record: RecordReader,
  release: Release,
  link: HierarchyLink,
  level: readonly string[],
): Promise<string[]> {
  const found = await Promise.all(
    link.partsOf(level).map(async (search) => referencesTo(record, await resolveSearch(record, release, search))),
  );
  return found.flat();
}

async function wholesOf(
  record: RecordReader,
  release: Release,
  link: HierarchyLink,
  level: readonly string[],
): Promise<string[]> {
  const keys = level
    .map((reference) => reference.split('/') as [string, string])
    .filter(([, id]) => isResourceId(id))
    .map(([type, id]) => ({ typeCode: typeCodeOf(release, type), id }));
  const wholes: string[] = [];
  for await (const chunk of readManyInChunks(record, keys)) {
    for (const { json } of chunk) if (json) wholes.push(...link.wholesOf(parseResource(json)));
  }
  return wholes;
}

/** @throws FhirError 400 when they are too many for one link of a search */
async function referencesTo(record: RecordReader, filter: Filter): Promise<string[]> {
  const references: string[] = [];
  for await (const { typeCode, id } of matchingKeys(record, filter)) {
    if (references.length === limits.linkedResources) throw tooManyLinked();
    references.push(`${typeOfCode(typeCode)}/${id}`);
  }
  return references;
}

function tooManyLinked(): Error {
  return tooCostly(`one link of a search leads over ${limits.linkedResources} resources at most: narrow it down`);
}

/** Keys that are read at once, at most. */
const maxKeys = 5000;

/**
 * The keys and versions of everything in the record that passes a filter, in no order. Content is read only where it decides.
 * @param enough how many the caller may need
 */
export async function* matchingKeys(
  record: RecordReader,
  filter: Filter,
  enough = Infinity,
): AsyncGenerator<Pick<KeyMatch, 'typeCode' | 'id' | 'version'>> {
  const { typeCodes, where, matches } = filter;
  if (matches) {
    for await (const { typeCode, id, resource } of matching(record, filter))
      yield { typeCode, id, version: Number(resource.meta?.versionId) };
    return;
  }
  if (typeCodes.length === 0) return;
  let after: Cursor | undefined;
  let limit = Math.min(enough, firstChunk);
  do {
    const page = await record.searchKeys({ typeCodes, where, limit, ...(after ? { after } : {}) });
    yield* page.matches;
    after = page.next;
    limit = Math.min(limit * 2, maxKeys);
  } while (after);
}

/** Everything in the record that passes a filter, in no order; the content is held a chunk at a time. */
export async function* matching(
  record: RecordReader,
  { typeCodes, where, matches }: Filter,
): AsyncGenerator<SearchMatch> {
  for (const group of kindsBySize(typeCodes)) {
    for await (const { matches: candidates } of readChunks(record, { typeCodes: group, where }, firstChunk)) {
      for (const { typeCode, id, json } of candidates) {
        const found = new SearchMatch(typeCode, id, json);
        if (!matches || matches(found)) yield found;
      }
    }
  }
}
