import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { DataKey } from '@tributary/key-vault';

/** A key of this service for one use, the same in all replicas, derived from the secret they share. */
export function serviceKey(secret: string, use: string): DataKey {
  return DataKey.fromBytes(DataKey.fromBytes(createHash('sha256').update(secret).digest()).derive(use));
}

const mostBytes = 256 * 1024 * 1024;

/** Seals a JSON-able value for a place. */
export function sealJson(key: DataKey, value: unknown, place: string): Buffer {
  return key.seal(deflateRawSync(Buffer.from(JSON.stringify(value))), place);
}

/** Opens what `sealJson` made. @throws UnsealingError when the key or the place is another, or the bytes were changed */
export function openJson(key: DataKey, sealed: Buffer, place: string): unknown {
  return JSON.parse(inflateRawSync(key.open(sealed, place), { maxOutputLength: mostBytes }).toString());
}
