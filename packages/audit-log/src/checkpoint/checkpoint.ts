import { type KeyObject, createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';

/** The last block of a stream at a time. */
export interface StreamHead {
  streamId: string;
  sequence: number;
  /** The hash of the block; 32 bytes. */
  hash: Buffer;
}

/** What a checkpoint states, beside its number and time. */
export interface CheckpointContent {
  /** The streams that have new blocks since the checkpoint before, and perhaps others. */
  heads: readonly StreamHead[];
  /** The hashes of retirements (`retirementHash`): partitions whose blocks were dropped after their retention. */
  retirements: readonly Buffer[];
  /**
   * The public keys (`CheckpointKey.publicKey`) that have signed earlier checkpoints. The first checkpoint of a new key
   * has them, so that the new key alone is enough to verify all checkpoints.
   */
  earlierKeys: readonly Buffer[];
}

/** A row of audit.checkpoint. */
export interface Checkpoint {
  /** 1 for the first, without gaps. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The hash of the checkpoint before; zeros in the first. */
  readonly previous: Buffer;
  /** The content (`encodeCheckpointContent`). */
  readonly heads: Buffer;
  /** SHA-256 of all of the above. */
  readonly hash: Buffer;
  /** Ed25519, of the hash. */
  readonly signature: Buffer;
  /** The id of the key that signed. */
  readonly keyId: string;
}

/** A row of audit.retirement: a partition that was dropped after its retention. */
export interface Retirement {
  readonly partition: string;
  /** Epoch milliseconds: the first start of a block that the partition takes. */
  readonly from: number;
  /** Epoch milliseconds: the first start that it does not take. */
  readonly to: number;
  /** How many it had. */
  readonly blocks: number;
  /** The last block of each stream in it, as the heads in the content of a checkpoint (`headsOf`). */
  readonly heads: Buffer;
}

const formatVersion = 1;
const headBytes = 16 + 8 + 32;
const hashBytes = 32;
const keyBytes = 32;
/** What precedes the 32 bytes of an Ed25519 key in SubjectPublicKeyInfo (RFC 8410). */
const publicKeyPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * The bytes of a content: the numbers of heads, retirements and keys (4 bytes each, big-endian), then these. A head is
 * the stream (16 bytes), the sequence (8) and the hash (32).
 */
export function encodeCheckpointContent({ heads, retirements, earlierKeys }: CheckpointContent): Buffer {
  const counts = Buffer.alloc(12);
  for (const [index, { length }] of [heads, retirements, earlierKeys].entries())
    counts.writeUInt32BE(length, index * 4);
  return Buffer.concat([counts, ...heads.map(encodeHead), ...retirements, ...earlierKeys]);
}

/** The content of a checkpoint; undefined when the bytes are not those of one. */
export function contentOf({ heads: bytes }: Pick<Checkpoint, 'heads'>): CheckpointContent | undefined {
  if (bytes.length < 12) return undefined;
  const [heads, retirements, keys] = [0, 4, 8].map((at) => bytes.readUInt32BE(at)) as [number, number, number];
  const sizes = [heads * headBytes, retirements * hashBytes, keys * keyBytes];
  const [firstRetirement, firstKey] = [12 + sizes[0]!, 12 + sizes[0]! + sizes[1]!];
  if (bytes.length !== firstKey + sizes[2]!) return undefined;
  return {
    heads: piecesOf(bytes.subarray(12, firstRetirement), headBytes).map(decodeHead),
    retirements: piecesOf(bytes.subarray(firstRetirement, firstKey), hashBytes),
    earlierKeys: piecesOf(bytes.subarray(firstKey), keyBytes),
  };
}

/** The heads of a retirement; undefined when the bytes are not those of heads. */
export function headsOf({ heads: bytes }: Pick<Retirement, 'heads'>): StreamHead[] | undefined {
  return bytes.length % headBytes === 0 ? piecesOf(bytes, headBytes).map(decodeHead) : undefined;
}

function decodeHead(bytes: Buffer): StreamHead {
  const sequence = Number(bytes.readBigInt64BE(16));
  return { streamId: uuidOf(bytes.subarray(0, 16)), sequence, hash: bytes.subarray(24) };
}

function encodeHead({ streamId, sequence, hash }: StreamHead): Buffer {
  const bytes = Buffer.alloc(headBytes);
  bytes.write(streamId.replaceAll('-', ''), 'hex');
  bytes.writeBigInt64BE(BigInt(sequence), 16);
  hash.copy(bytes, 24);
  return bytes;
}

/**
 * The hash of a retirement, which the next checkpoint signs; undefined when a number or time is one that no retirement
 * has.
 */
export function retirementHash({ partition, from, to, blocks, heads }: Retirement): Buffer | undefined {
  if (![from, to, blocks].every(Number.isSafeInteger)) return undefined;
  const numbers = Buffer.alloc(24);
  for (const [index, number] of [from, to, blocks].entries()) numbers.writeBigInt64BE(BigInt(number), index * 8);
  return createHash('sha256').update(`${partition}\0`).update(numbers).update(heads).digest();
}

/** A checkpoint before it is signed. */
type Unsigned = Omit<Checkpoint, 'hash' | 'signature' | 'keyId'>;

function checkpointHash({ number, at, previous, heads }: Unsigned): Buffer {
  const start = Buffer.alloc(17);
  start.writeUInt8(formatVersion);
  start.writeBigInt64BE(BigInt(number), 1);
  start.writeBigInt64BE(BigInt(at), 9);
  return createHash('sha256').update(start).update(previous).update(heads).digest();
}

/** The id of a public key: 16 hexadecimal digits of its hash. @param publicKey its 32 bytes */
function keyIdOf(publicKey: Buffer): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
}

/** The public keys that have signed checkpoints. */
export class CheckpointKeys {
  readonly #keys = new Map<string, Buffer>();

  /** @param publicKeys the keys that sign now (`CheckpointKey.publicKey`) */
  constructor(publicKeys: readonly Buffer[]) {
    this.#add(publicKeys);
  }

  /**
   * What is wrong with a checkpoint by itself. One that is right tells the keys before its own.
   * @returns nothing when the checkpoint is what its hash says, and the holder of its key has signed the hash
   */
  check(checkpoint: Checkpoint): ('checkpoint changed' | 'checkpoint not signed')[] {
    const { number, at, hash, keyId } = checkpoint;
    const isPossible = Number.isSafeInteger(number) && Number.isSafeInteger(at);
    const isUnchanged = isPossible && checkpointHash(checkpoint).equals(hash);
    const key = this.#keys.get(keyId);
    const isSigned = key !== undefined && isSignedBy(checkpoint, key);
    if (isUnchanged && isSigned) this.#add(contentOf(checkpoint)?.earlierKeys ?? []);
    return [
      ...(isUnchanged ? [] : ['checkpoint changed' as const]),
      ...(isSigned ? [] : ['checkpoint not signed' as const]),
    ];
  }

  #add(publicKeys: readonly Buffer[]): void {
    for (const key of publicKeys) this.#keys.set(keyIdOf(key), key);
  }
}

function isSignedBy({ hash, signature }: Checkpoint, publicKey: Buffer): boolean {
  const key = createPublicKey({ key: Buffer.concat([publicKeyPrefix, publicKey]), type: 'spki', format: 'der' });
  return verify(null, hash, key, signature);
}

/** A key that signs checkpoints. */
export class CheckpointKey {
  readonly #key: KeyObject;
  /** 32 bytes. */
  readonly publicKey: Buffer;

  /**
   * @param text Ed25519 in PKCS #8, base64
   * @throws Error when it is another key
   */
  constructor(text: string) {
    this.#key = createPrivateKey({ key: Buffer.from(text, 'base64'), type: 'pkcs8', format: 'der' });
    if (this.#key.asymmetricKeyType !== 'ed25519') throw new Error('the key of checkpoints must be an Ed25519 key');
    this.publicKey = createPublicKey(this.#key).export({ type: 'spki', format: 'der' }).subarray(-keyBytes);
  }

  get id(): string {
    return keyIdOf(this.publicKey);
  }

  sign(unsigned: Unsigned): Checkpoint {
    const hash = checkpointHash(unsigned);
    return { ...unsigned, hash, signature: sign(null, hash, this.#key), keyId: this.id };
  }
}

function piecesOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: bytes.length / size }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
