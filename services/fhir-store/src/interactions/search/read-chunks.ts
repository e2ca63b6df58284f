import { elementModel } from '@tributary/fhir-definitions';
import type { Condition } from '@tributary/fhir-search';
import {
  type Kind,
  type Page,
  type Query,
  type RecordReader,
  type ResourceKey,
  type StoredVersion,
  releaseOfKind,
  typeOfKind,
} from '@tributary/record-storage';

/** How much content a chunk should hold. */
const chunkBytes = 4_000_000;

/** Resources that are read at once, at most. A Binary may be tens of megabytes large, other resources with files in them some megabytes. */
const mostRows = { binary: 4, withFiles: 20, other: 4000 };

/** Resources that are read at once by their keys, at most. */
const mostKeys = 200;

const rowsOfKind = new Map<Kind, number>();

/** How many resources of these kinds may be read at once. */
function mostOf(kinds: readonly Kind[]): number {
  return kinds.reduce((least, kind) => Math.min(least, mostOfKind(kind)), mostRows.other);
}

function mostOfKind(kind: Kind): number {
  let rows = rowsOfKind.get(kind);
  if (rows === undefined)
    rowsOfKind.set(
      kind,
      (rows = typeOfKind(kind) === 'Binary' ? mostRows.binary : holdsFiles(kind) ? mostRows.withFiles : mostRows.other),
    );
  return rows;
}

/** Whether a type has an element for the content of a file, in itself or in a component. */
function holdsFiles(kind: Kind): boolean {
  const model = elementModel(releaseOfKind(kind));
  const visit = (name: string): boolean =>
    [...(model.type(name)?.properties.values() ?? [])].some(
      ({ type: { code } }) =>
        code === 'Attachment' || code === 'base64Binary' || (code.startsWith(`${name}.`) && visit(code)),
    );
  return visit(typeOfKind(kind));
}

/**
 * What the store finds, in order, a chunk at a time: the first of so many rows, the next as large as what came lets expect, so that
 * a chunk holds a few megabytes whatever the resources are. The total, if asked for, is told by the first.
 */
export async function* readChunks(
  record: RecordReader,
  { total = false, ...query }: Omit<Query, 'limit'>,
  first: number,
): AsyncGenerator<Page> {
  const most = mostOf(query.kinds);
  let { after } = query;
  let limit = Math.min(first, most);
  let isFirst = true;
  do {
    const page = await record.search({ ...query, limit, total: total && isFirst, ...(after ? { after } : {}) });
    yield page;
    after = page.next;
    isFirst = false;
    limit = Math.max(
      1,
      Math.min(most, limit * 2, Math.floor((chunkBytes * page.entries.length) / bytesOf(page.entries))),
    );
  } while (after);
}

/** The kinds by how many of them may be read at once, so that those which are small need not be read as carefully as the others. */
export function kindsBySize(kinds: readonly Kind[]): Kind[][] {
  return Object.values(mostRows)
    .map((rows) => kinds.filter((kind) => mostOfKind(kind) === rows))
    .filter((group) => group.length > 0);
}

/** The kinds without those of Binary when the search finds none, which is mostly so, and would make it slow. */
export async function kindsThatMatter(
  record: RecordReader,
  kinds: readonly Kind[],
  where: Condition,
): Promise<readonly Kind[]> {
  const others = kinds.filter((kind) => mostOfKind(kind) !== mostRows.binary);
  // With one kind left, the places in the order would have another form.
  if (others.length < 2 || others.length === kinds.length) return kinds;
  const binaries = await record.count(
    kinds.filter((kind) => !others.includes(kind)),
    where,
  );
  return binaries === 0 ? others : kinds;
}

/** Those of the resources that exist, in chunks of a few megabytes. */
export async function* readManyInChunks(
  record: RecordReader,
  keys: readonly ResourceKey[],
): AsyncGenerator<StoredVersion[]> {
  for (let from = 0; from < keys.length;) {
    const chunk = keys.slice(from, from + mostKeys);
    const wanted = chunk.slice(0, mostOf(chunk.map(({ kind }) => kind)));
    yield await record.readMany(wanted);
    from += wanted.length;
  }
}

/** The size of content. */
export function bytesOf(entries: readonly { readonly line: Buffer | undefined }[]): number {
  return entries.reduce((sum, { line }) => sum + (line?.length ?? 0), 0);
}
