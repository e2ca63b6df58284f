import { ObjectMissingError, type ObjectStorage } from '@tributary/object-storage';
import type { RecordKeys } from '../keys/record-keys';
import {
  type ContentReference,
  base64Length,
  findReferences,
  mayHaveReferences,
  readReference,
} from './content-reference';
import { SEGMENT_BYTES, openSegments, segmentsOf } from './sealed-segments';

/** Content in the object storage. */
export interface ContentObject {
  /** The number of bytes. */
  readonly length: number;
  /**
   * The bytes from `start` up to `end`, exclusive, in pieces.
   * @throws ObjectMissingError, ObjectStorageError, UnsealingError
   */
  bytes(start: number, end: number): AsyncGenerator<Buffer>;
}

/** JSON in which content of the object storage stands in place of its references. */
export interface WholeJson {
  /** The number of bytes. */
  readonly length: number;
  /** @throws ObjectMissingError, ObjectStorageError, UnsealingError */
  pieces(): AsyncGenerator<Buffer>;
}

/** Reads the content of one record that is in the object storage. */
export class ContentReader {
  /** @param storage undefined where none is configured: content that is there cannot be read */
  constructor(
    private readonly keys: RecordKeys,
    private readonly storage: ObjectStorage | undefined,
  ) {}

  /** The content for which a base64Binary stands; undefined when it is the content itself. */
  contentOf(base64: string): ContentObject | undefined {
    const reference = readReference(this.keys, base64);
    return reference && { length: reference.length, bytes: (start, end) => this.read(reference, start, end) };
  }

  /** JSON with its content in place; undefined when it contains no reference, and is whole as it is. */
  wholeJson(json: Buffer): WholeJson | undefined {
    if (!mayHaveReferences(json)) return undefined;
    const references = findReferences(this.keys, json);
    if (references.length === 0) return undefined;
    const growth = references.reduce((sum, { start, end, length }) => sum + base64Length(length) - (end - start), 0);
    return { length: json.length + growth, pieces: () => this.piecesOf(json, references) };
  }

  private async *piecesOf(json: Buffer, references: ReturnType<typeof findReferences>): AsyncGenerator<Buffer> {
    let written = 0;
    for (const reference of references) {
      yield json.subarray(written, reference.start);
      for await (const piece of this.read(reference, 0, reference.length))
        yield Buffer.from(piece.toString('base64'), 'latin1');
      written = reference.end;
    }
    yield json.subarray(written);
  }

  private async *read({ objectId, length }: ContentReference, start: number, end: number): AsyncGenerator<Buffer> {
    if (start >= end) return;
    if (!this.storage) throw new ObjectMissingError();
    const range = segmentsOf(length, start, end);
    const sealed = this.storage.read(objectId, range.start, range.end);
    let at = range.first * SEGMENT_BYTES;
    for await (const piece of openSegments(this.keys, objectId, range.first, sealed)) {
      yield piece.subarray(Math.max(0, start - at), end - at);
      at += piece.length;
    }
    if (at < end) throw new ObjectMissingError();
  }
}
