import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AuditEvent } from '../event/audit-event';
import { decodeEvents, encodeEvents } from '../event/stored-event';
import { maxEncodedBytes, maxEventsPerBlock, maxInflatedBytes } from './block-limits';

/** A row of audit.block. */
export interface Block {
  readonly streamId: string;
  /** 0 for the first block of a stream. */
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** How many events it has. */
  readonly events: number;
  /** The users, and hashes of the clients, that its events are about (`keysOf`). */
  readonly keys: readonly bigint[];
  /** The hash of the preceding block of the stream; zeros in the first. */
  readonly previous: Buffer;
  /** The sealed events. */
  readonly content: Buffer;
  readonly hash: Buffer;
}

/** What precedes the first block of a stream. */
export const noPrevious: Buffer = Buffer.alloc(32);

const formatVersion = 1;
const authTagBytes = 16;
/** Contents from this size on are compressed. */
const compressFromBytes = 512;
/** The first byte of the plaintext. */
const stored = { plain: 0, deflated: 1 } as const;

/**
 * Seals events under the key of their stream and chains them to the preceding block. The content is encrypted with
 * AES-256-GCM, whose associated data is everything else in the block. The sequence number is the nonce: the key belongs
 * to one stream, and a stream has one block of each number.
 * @param key 32 bytes
 * @throws Error when the events are not valid, or too large for one block
 */
export function sealBlock(
  key: Buffer,
  position: Pick<Block, 'streamId' | 'sequence' | 'startedAt' | 'previous'>,
  events: readonly AuditEvent[],
): Block {
  const unsealed = { ...position, events: events.length, keys: keysOf(events) };
  const associated = associatedDataOf(unsealed);
  const encoded = encodeEvents(events);
  if (encoded.length > maxEncodedBytes) throw new Error('the events are too large for one block');
  const isDeflated = encoded.length >= compressFromBytes;
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(position.sequence)).setAAD(associated);
  const content = Buffer.concat([
    cipher.update(Buffer.of(isDeflated ? stored.deflated : stored.plain)),
    cipher.update(isDeflated ? deflateRawSync(encoded, { level: 1 }) : encoded),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return { ...unsealed, content, hash: hashOf(associated, content) };
}

/**
 * The events of a block.
 * @throws Error when the block was changed, the key is that of another stream, or the process has not written what a
 * block has
 */
export function openBlock(key: Buffer, block: Block): AuditEvent[] {
  if (block.events > maxEventsPerBlock) throw new Error('the block has too many events');
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(block.sequence), { authTagLength: authTagBytes })
    .setAAD(associatedDataOf(block))
    .setAuthTag(block.content.subarray(-authTagBytes));
  const plain = Buffer.concat([decipher.update(block.content.subarray(0, -authTagBytes)), decipher.final()]);
  const encoded = plain.subarray(1);
  const isDeflated = plain[0] === stored.deflated;
  return decodeEvents(
    isDeflated ? inflateRawSync(encoded, { maxOutputLength: maxInflatedBytes }) : encoded,
    block.events,
  );
}

/** The hash that the block should have. It proves that the block is unchanged without the key of its stream. */
export function expectedHash(block: Omit<Block, 'hash'>): Buffer {
  return hashOf(associatedDataOf(block), block.content);
}

/**
 * The keys by which the blocks of a user or a client are found: the service user ids, and a negative number made of the
 * hash of each client id.
 */
export function keysOf(events: readonly AuditEvent[]): bigint[] {
  const keys = new Set<bigint>();
  for (const { subject, agent } of events) {
    if (subject !== undefined) keys.add(BigInt(subject));
    if (agent.serviceUserId !== undefined) keys.add(BigInt(agent.serviceUserId));
    if (agent.clientId !== undefined) keys.add(clientKey(agent.clientId));
  }
  return [...keys].sort((a, b) => (a < b ? -1 : 1));
}

/** The hashes of the last clients, because computing one takes as long as sealing an event. */
const clientKeys = new Map<string, bigint>();

/** The key of the blocks with events of a client; other clients can have the same. */
export function clientKey(clientId: string): bigint {
  let key = clientKeys.get(clientId);
  if (key === undefined) {
    const digest = createHash('sha256').update(clientId).digest();
    key = -1n - BigInt.asUintN(63, digest.readBigUInt64BE());
    if (clientKeys.size >= 10_000) clientKeys.clear();
    clientKeys.set(clientId, key);
  }
  return key;
}

function associatedDataOf(block: Omit<Block, 'content' | 'hash'>): Buffer {
  const bytes = Buffer.allocUnsafe(1 + 16 + 8 + 8 + 4 + 4 + 8 * block.keys.length + 32);
  let at = bytes.writeUInt8(formatVersion);
  at += bytes.write(block.streamId.replaceAll('-', ''), at, 'hex');
  at = bytes.writeBigInt64BE(BigInt(block.sequence), at);
  at = bytes.writeBigInt64BE(BigInt(block.startedAt), at);
  at = bytes.writeUInt32BE(block.events, at);
  at = bytes.writeUInt32BE(block.keys.length, at);
  for (const key of block.keys) at = bytes.writeBigInt64BE(key, at);
  block.previous.copy(bytes, at);
  return bytes;
}

function nonceOf(sequence: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(sequence), 4);
  return nonce;
}

function hashOf(associated: Buffer, content: Buffer): Buffer {
  return createHash('sha256').update(associated).update(content).digest();
}
