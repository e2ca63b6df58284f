import { UnsealingError } from '@tributary/key-vault';
import { type TypeCode, typeOfCode } from '../type-codes';

/** A resource but for what the store itself says of it: JSON texts without the braces around them, without line breaks. */
export interface ResourceBody {
  /** The members of `meta` other than versionId and lastUpdated, e.g. `"profile":["x"]`; empty when there are none. */
  readonly meta: string;
  /** All members other than resourceType, id and meta, e.g. `"status":"final","code":{}`; empty when there are none. */
  readonly members: string;
}

/** What the head of a line tells. */
export interface VersionMetadata {
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
}

const ID_LENGTH = 36;
const INSTANT_LENGTH = 24;
const AFTER_ID = '","meta":{"versionId":"';
const AFTER_VERSION = '","lastUpdated":"';

/**
 * The final NDJSON line of a resource, without its line break. Every line starts with type, id, version and time in this
 * one form: exports send it untouched, and whoever reads a line can prove that it is the one asked for.
 */
export function renderEntry(typeCode: TypeCode, metadata: VersionMetadata, body: ResourceBody): string {
  const meta = body.meta === '' ? '' : `,${body.meta}`;
  const members = body.members === '' ? '' : `,${body.members}`;
  return `${beforeId(typeCode)}${metadata.id}${AFTER_ID}${metadata.version}${AFTER_VERSION}${new Date(metadata.lastUpdated).toISOString()}"${meta}}${members}}`;
}

/** Reads the head of a line of this kind. @throws UnsealingError when it has none */
export function readMetadata(typeCode: TypeCode, entry: Buffer): VersionMetadata {
  const idAt = beforeId(typeCode).length;
  const versionAt = idAt + ID_LENGTH + AFTER_ID.length;
  const versionEnd = entry.indexOf(0x22, versionAt);
  const timeAt = versionEnd + AFTER_VERSION.length;
  const metadata: VersionMetadata = {
    id: entry.toString('latin1', idAt, idAt + ID_LENGTH),
    version: Number(entry.toString('latin1', versionAt, versionEnd)),
    lastUpdated: Date.parse(entry.toString('latin1', timeAt, timeAt + INSTANT_LENGTH)),
  };
  if (
    !startsWith(entry, `${beforeId(typeCode)}${metadata.id}${AFTER_ID}${metadata.version}${AFTER_VERSION}`) ||
    Number.isNaN(metadata.lastUpdated)
  )
    throw entryMismatch();
  return metadata;
}

/** Makes sure that the line is of this very resource and version. @throws UnsealingError when an index row points at another's line */
export function assertEntryIs(typeCode: TypeCode, id: string, version: number, entry: Buffer): void {
  if (!startsWith(entry, `${beforeId(typeCode)}${id}${AFTER_ID}${version}"`)) throw entryMismatch();
}

const beforeIds = new Map<TypeCode, string>();

function beforeId(typeCode: TypeCode): string {
  let text = beforeIds.get(typeCode);
  if (text === undefined) {
    text = `{"resourceType":"${typeOfCode(typeCode)}","id":"`;
    beforeIds.set(typeCode, text);
  }
  return text;
}

function startsWith(entry: Buffer, start: string): boolean {
  return entry.toString('latin1', 0, start.length) === start;
}

function entryMismatch(): UnsealingError {
  return new UnsealingError('the stored line is not of the resource that points to it');
}
