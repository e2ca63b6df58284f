import fc from 'fast-check';
import { SipHash } from './sip-hash';

const KEY = Buffer.from(Array.from({ length: 16 }, (_, i) => i));

/** SipHash-2-4 as its paper has it, with bigints: the oracle. */
function reference(key: Buffer, bytes: Uint8Array): bigint {
  const mask = (1n << 64n) - 1n;
  const k0 = key.readBigUInt64LE(0);
  const k1 = key.readBigUInt64LE(8);
  const v = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ] as [bigint, bigint, bigint, bigint];
  const rotl = (x: bigint, by: bigint): bigint => ((x << by) | (x >> (64n - by))) & mask;
  const round = (): void => {
    v[0] = (v[0] + v[1]) & mask;
    v[1] = rotl(v[1], 13n) ^ v[0];
    v[0] = rotl(v[0], 32n);
    v[2] = (v[2] + v[3]) & mask;
    v[3] = rotl(v[3], 16n) ^ v[2];
    v[0] = (v[0] + v[3]) & mask;
    v[3] = rotl(v[3], 21n) ^ v[0];
    v[2] = (v[2] + v[1]) & mask;
    v[1] = rotl(v[1], 17n) ^ v[2];
    v[2] = rotl(v[2], 32n);
  };
  const padded = Buffer.alloc((Math.floor(bytes.length / 8) + 1) * 8);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length & 0xff;
  for (let at = 0; at < padded.length; at += 8) {
    const m = padded.readBigUInt64LE(at);
    v[3] ^= m;
    round();
    round();
    v[0] ^= m;
  }
  v[2] ^= 0xffn;
  for (let i = 0; i < 4; i++) round();
  return BigInt.asIntN(64, v[0] ^ v[1] ^ v[2] ^ v[3]);
}

describe('SipHash', () => {
  it('matches the published test vectors', () => {
    const hash = new SipHash(KEY);
    const bytes = Buffer.from(Array.from({ length: 15 }, (_, i) => i));
    expect(BigInt.asUintN(64, hash.hashBytes(bytes))).toBe(0xa129ca6149be45e5n);
    expect(BigInt.asUintN(64, hash.hashBytes(Buffer.alloc(0)))).toBe(0x726fdb47dd0e0e31n);
  });

  it('agrees with a reference implementation on any bytes and key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.uint8Array({ maxLength: 300 }), (key, bytes) => {
        expect(new SipHash(Buffer.from(key)).hashBytes(bytes)).toBe(reference(Buffer.from(key), bytes));
      }),
    );
  });

  it('hashes a text as its UTF-8 bytes, ASCII or not, short or long', () => {
    const hash = new SipHash(KEY);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 40 }),
          fc.string({ unit: 'binary', maxLength: 40 }),
          fc.string({ minLength: 505, maxLength: 600 }),
        ),
        (text) => {
          expect(hash.hash(text)).toBe(hash.hashBytes(Buffer.from(text, 'utf8')));
        },
      ),
    );
  });

  it('refuses a key of another length', () => {
    expect(() => new SipHash(Buffer.alloc(32))).toThrow(RangeError);
  });
});
