import type { IndexValues } from '@tributary/fhir-search';
import type { ResourceBody } from '../blocks/entry';
import type { RecordKeys } from '../keys/record-keys';
import type { ResourceVersion } from '../resource-key';

/** Keeps the stored hash of the source: the content changes, but the source has not. */
export const KEEP_SOURCE: unique symbol = Symbol('keep the stored source');

/** The content of a new version of a resource. */
export interface NewContent {
  readonly body: ResourceBody;
  readonly index: IndexValues;
  /**
   * The resource as a health system sent it. Its hash is stored, so that a later write of the same source changes
   * nothing. Absent for what clients write.
   */
  readonly source?: string | Buffer | typeof KEEP_SOURCE;
}

/** A version that was written. */
export interface WrittenVersion extends ResourceVersion {
  /** The stored resource as JSON in UTF-8, without line breaks. */
  readonly json: Buffer;
}

/** The hash of the source for the new row; `stored` is that of the present row. */
export function sourceHashOf(keys: RecordKeys, source: NewContent['source'], stored: bigint | null): bigint | null {
  if (source === KEEP_SOURCE) return stored;
  return source === undefined ? null : keys.sourceHash(source);
}
