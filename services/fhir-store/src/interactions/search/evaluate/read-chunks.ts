import { elementModel } from '@tributary/fhir-definitions';
import type { Condition } from '@tributary/fhir-search';
import {
  type TypeCode,
  type ResourcePage,
  type ResourceQuery,
  type RecordReader,
  type ResourceKey,
  type StoredVersion,
  releaseOfCode,
  typeOfCode,
  wholeLength,
} from '@tributary/record-storage';

/** The target size of a chunk, in bytes. */
const chunkBytes = 4_000_000;

/**
 * The limit of resources in a chunk. A Binary can have tens of megabytes, other resources with attachments some
 * megabytes.
 */
const maxRows = { binary: 4, withFiles: 20, other: 4000 };

/** The limit of resources that are read by their keys in one statement. */
const maxKeys = 200;

const rowsOfType = new Map<TypeCode, number>();

/** The limit of resources of these types in a chunk. */
function maxRowsOf(typeCodes: readonly TypeCode[]): number {
  return typeCodes.reduce((min, typeCode) => Math.min(min, maxRowsOfType(typeCode)), maxRows.other);
}

function maxRowsOfType(typeCode: TypeCode): number {
  let rows = rowsOfType.get(typeCode);
  if (rows === undefined)
    rowsOfType.set(
      typeCode,
      (rows =
        typeOfCode(typeCode) === 'Binary' ? maxRows.binary : holdsFiles(typeCode) ? maxRows.withFiles : maxRows.other),
    );
  return rows;
}

/** Whether a type has an element for the content of a file, at any depth. */
function holdsFiles(typeCode: TypeCode): boolean {
  const model = elementModel(releaseOfCode(typeCode));
  const visit = (name: string): boolean =>
    [...(model.type(name)?.properties.values() ?? [])].some(
      ({ type: { code } }) =>
        code === 'Attachment' || code === 'base64Binary' || (code.startsWith(`${name}.`) && visit(code)),
    );
  return visit(typeOfCode(typeCode));
}

/**
 * The matches of a query, in order, in chunks of a few megabytes. The sizes of the resources of a chunk determine the
 * row limit of the next chunk. The first chunk has the total, if requested.
 * @param first row limit of the first chunk
 */
export async function* readChunks(
  record: RecordReader,
  { total = false, ...query }: Omit<ResourceQuery, 'limit'>,
  first: number,
): AsyncGenerator<ResourcePage> {
  const maxRowsOfQuery = maxRowsOf(query.typeCodes);
  let { after } = query;
  let limit = Math.min(first, maxRowsOfQuery);
  let isFirst = true;
  do {
    const page = await record.search.page({ ...query, limit, total: total && isFirst, ...(after ? { after } : {}) });
    yield page;
    after = page.next;
    isFirst = false;
    limit = Math.max(
      1,
      Math.min(maxRowsOfQuery, limit * 2, Math.floor((chunkBytes * page.matches.length) / bytesOf(page.matches))),
    );
  } while (after);
}

/**
 * Groups the type codes by the number of resources that one chunk may hold: small resources are read in larger chunks.
 */
export function typeCodesBySize(typeCodes: readonly TypeCode[]): TypeCode[][] {
  return Object.values(maxRows)
    .map((rows) => typeCodes.filter((typeCode) => maxRowsOfType(typeCode) === rows))
    .filter((group) => group.length > 0);
}

/**
 * Omits Binary when no Binary matches. Chunks with Binaries have few rows, so a search over all types would be slow.
 */
export async function typeCodesWithMatches(
  record: RecordReader,
  typeCodes: readonly TypeCode[],
  where: Condition,
): Promise<readonly TypeCode[]> {
  const others = typeCodes.filter((typeCode) => maxRowsOfType(typeCode) !== maxRows.binary);
  // With one type left, the cursor of the order would have another form.
  if (others.length < 2 || others.length === typeCodes.length) return typeCodes;
  const binaries = await record.search.count(
    typeCodes.filter((typeCode) => !others.includes(typeCode)),
    where,
  );
  return binaries === 0 ? others : typeCodes;
}

/** Reads resources by key, in chunks of a few megabytes. Keys without a resource are skipped. */
export async function* readManyInChunks(
  record: RecordReader,
  keys: readonly ResourceKey[],
): AsyncGenerator<StoredVersion[]> {
  for (let from = 0; from < keys.length;) {
    const chunk = keys.slice(from, from + maxKeys);
    const wanted = chunk.slice(0, maxRowsOf(chunk.map(({ typeCode }) => typeCode)));
    yield await record.readMany(wanted);
    from += wanted.length;
  }
}

/** The size of JSON in a response, in bytes. */
export function bytesOf(entries: readonly { readonly json: Buffer | undefined }[]): number {
  return entries.reduce((sum, { json }) => sum + (json ? wholeLength(json) : 0), 0);
}
