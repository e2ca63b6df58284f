import { UnsealingError } from '@tributary/key-vault';
import { type TypeCode, typeOfCode } from '../type-codes';

/** A resource without the elements that the store sets: JSON without the enclosing braces and without line breaks. */
export interface ResourceBody {
  /** The members of `meta` other than versionId and lastUpdated, e.g. `"profile":["x"]`; empty when there are none. */
  readonly meta: string;
  /** All members other than resourceType, id and meta, e.g. `"status":"final","code":{}`; empty when there are none. */
  readonly members: string;
}

/** The version of a resource, as the first bytes of its entry contain it. */
export interface VersionMetadata {
  readonly id: string;
  readonly version: number;
  /** Epoch milliseconds. */
  readonly lastUpdated: number;
}

const ID_LENGTH = 36;
const INSTANT_LENGTH = 24;
const AFTER_ID = '","meta":{"versionId":"';
const AFTER_VERSION = '","lastUpdated":"';

/**
 * The entry of a version: its JSON without line breaks, which an export sends as one line of NDJSON. Every entry begins
 * with type, id, version and time in this fixed form, so that a reader can verify that it is the entry of the requested
 * version. The form must never change: stored entries are not rewritten.
 */
export function renderEntry(typeCode: TypeCode, metadata: VersionMetadata, body: ResourceBody): string {
  const meta = body.meta === '' ? '' : `,${body.meta}`;
  const members = body.members === '' ? '' : `,${body.members}`;
  return `${beforeId(typeCode)}${metadata.id}${AFTER_ID}${metadata.version}${AFTER_VERSION}${new Date(metadata.lastUpdated).toISOString()}"${meta}}${members}}`;
}

/** Reads the metadata of an entry of this type code. @throws UnsealingError if the entry has another form */
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

/** @throws UnsealingError if the entry is not that of this version: an index row refers to the wrong slot */
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
  return new UnsealingError('the stored entry is not of the version that refers to it');
}
