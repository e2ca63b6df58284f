import { type Cursor, type KeyMatch, type RecordReader } from '@tributary/record-storage';
import { typeCodesBySize, readChunks } from './read-chunks';
import type { Filter } from './search-filter';
import { SearchMatch } from './search-match';

/** Rows of the first chunk that a scan reads. */
const firstChunk = 200;

/** The limit of keys that one statement reads. */
const maxKeys = 5000;

/**
 * The keys and versions of all resources that pass a filter, in no defined order. Content is read only when the filter
 * needs it.
 * @param enough the number of matches that the caller needs at most; it limits the first page of keys
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
