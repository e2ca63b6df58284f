import type { DataKey, SipHash } from '@tributary/key-vault';
import type { OpenedBlocks } from '../read/opened-blocks';
import type { TypeCode } from '../type-codes';

/** The range of the date shift in milliseconds: dates are shifted by up to about 35 years, backward or forward. */
const SHIFT_BITS = 2 ** 41;

/** Blinded names of ranges are the lowest 2^58 of the 64-bit integers, which no value of a range can equal. */
const NAMES_FROM = -(2n ** 63n);
const NAMES_MASK = 2n ** 58n - 1n;

/**
 * The keys of one record, derived from its data key. Sealing is AES-256-GCM encryption; blinding is a keyed hash
 * (SipHash).
 */
export class RecordKeys {
  private terms: SipHash | undefined;
  private names: SipHash | undefined;
  private sources: SipHash | undefined;
  private shift: number | undefined;

  /**
   * @param indexVersion the version of the index rules (INDEX_VERSION) that all rows of the record obeyed when it was
   *   last read; undefined if it was not read. It never decreases, so a record that is current stays current.
   * @param openedBlocks the cache of the blocks that these keys decrypt; absent if they are not cached
   */
  constructor(
    readonly userId: number,
    private readonly key: DataKey,
    public indexVersion?: number,
    readonly openedBlocks?: OpenedBlocks,
  ) {}

  /**
   * Encrypts the content of a block. User, type code and block id are its associated data, so it cannot be decrypted as
   * another block.
   */
  sealBlock(typeCode: TypeCode, blockId: bigint, content: Buffer): Buffer {
    return this.key.seal(content, this.blockAssociatedData(typeCode, blockId));
  }

  /** Decrypts a block. @throws UnsealingError if it was encrypted for another user, type code or block id */
  openBlock(typeCode: TypeCode, blockId: bigint, sealed: Buffer): Buffer {
    return this.key.open(sealed, this.blockAssociatedData(typeCode, blockId));
  }

  /** Encrypts a segment of content in the object storage, which can only be decrypted as this one. */
  sealSegment(objectId: string, index: number, content: Buffer): Buffer {
    return this.key.seal(content, this.segmentAssociatedData(objectId, index));
  }

  /** Decrypts a segment. @throws UnsealingError if it was encrypted as another one, or for another user */
  openSegment(objectId: string, index: number, sealed: Buffer): Buffer {
    return this.key.open(sealed, this.segmentAssociatedData(objectId, index));
  }

  /** The code of a reference to content, 16 bytes, which only the storage can make. */
  referenceCode(reference: Buffer): Buffer {
    return this.key.blindIndex('content reference', reference.toString('latin1'));
  }

  /** Encrypts a text of the record for a named use. */
  sealText(use: string, text: string): Buffer {
    return this.key.sealText(text, `${use} ${this.userId}`);
  }

  /** Decrypts what `sealText` has made. @throws UnsealingError if it was encrypted for another user or use */
  openText(use: string, sealed: Buffer): string {
    return this.key.openText(sealed, `${use} ${this.userId}`);
  }

  /** The blinded form of an equality term. */
  blindTerm(text: string): bigint {
    return (this.terms ??= this.key.blinder('term')).hash(text);
  }

  /** The blinded form of a range's name, never equal to any value. */
  blindRangeName(text: string): bigint {
    return NAMES_FROM + ((this.names ??= this.key.blinder('range name')).hash(text) & NAMES_MASK);
  }

  /** A keyed hash of a source, by which a later write detects that it is unchanged. */
  sourceHash(source: string | Buffer): bigint {
    const hash = (this.sources ??= this.key.blinder('source'));
    return typeof source === 'string' ? hash.hash(source) : hash.hashBytes(source);
  }

  /** The secret number of milliseconds by which this record's dates are shifted in the index. */
  get dateShift(): number {
    return (this.shift ??=
      Number(this.key.derive('date shift', 8).readBigUInt64BE() % BigInt(SHIFT_BITS)) - SHIFT_BITS / 2);
  }

  /** Secret bytes for a named use of others. */
  secret(label: string): Buffer {
    return this.key.derive(`secret:${label}`);
  }

  private segmentAssociatedData(objectId: string, index: number): string {
    return `content ${this.userId} ${objectId} ${index}`;
  }

  private blockAssociatedData(typeCode: TypeCode, blockId: bigint): Buffer {
    const associatedData = Buffer.allocUnsafe(18);
    associatedData.writeBigInt64BE(BigInt(this.userId), 0);
    associatedData.writeInt16BE(typeCode, 8);
    associatedData.writeBigInt64BE(blockId, 10);
    return associatedData;
  }
}
