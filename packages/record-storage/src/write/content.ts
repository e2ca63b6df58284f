import type { IndexValues } from '@tributary/fhir-search';
import type { ResourceBody } from '../blocks/entry';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';

/** Keeps the hash of the source as it is stored: the content changes, but not because the source did. */
export const KEEP_SOURCE: unique symbol = Symbol('keep the stored source');

/** What a writer gives for a new version of a resource. */
export interface NewContent {
  readonly body: ResourceBody;
  readonly index: IndexValues;
  /** The resource as a health system sent it: by it a later write is seen to change nothing. Left out for what clients write. */
  readonly source?: string | Buffer | typeof KEEP_SOURCE;
}

/** A version just written. */
export interface WrittenVersion {
  readonly typeCode: TypeCode;
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
  /** The stored line, without line break. */
  readonly json: Buffer;
}

/** The source hash that the row gets; `stored` is the one it has. */
export function sourceHashOf(keys: RecordKeys, source: NewContent['source'], stored: bigint | null): bigint | null {
  if (source === KEEP_SOURCE) return stored;
  return source === undefined ? null : keys.sourceHash(source);
}
