import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import { DataKey, UnsealingError } from '@tributary/key-vault';
import fc from 'fast-check';
import { gzipMember } from '../export/gzip-member';
import { RecordKeys } from '../keys/record-keys';
import { bytesOf } from '../../test/storage';
import { typeCodeOf } from '../type-codes';
import { entryAt, packContent, readContent, splitEntries, unpackEntries } from './block-content';
import { newBlockId } from './block-id';
import {
  MAX_BLOCK_BYTES,
  MAX_BLOCK_ENTRIES,
  divideIntoBlocks,
  joinEntries,
  openBlock,
  sealBlock,
} from './block-packing';
import { crc32OfBoth } from './crc32';
import { assertEntryIs, readMetadata, renderEntry } from './entry';

const OBSERVATION = typeCodeOf('r4', 'Observation');
const entries = fc.array(
  fc.string({ unit: 'grapheme', maxLength: 400 }).map((text) => Buffer.from(text.replaceAll('\n', ' '))),
  { maxLength: 120 },
);

describe('block content', () => {
  it('returns its entries, all or one', () => {
    fc.assert(
      fc.property(entries, (some) => {
        const plain = joinEntries(some);
        const content = readContent(packContent(plain));
        expect(unpackEntries(content).equals(plain)).toBe(true);
        expect(content.plainLength).toBe(plain.length);
        expect(splitEntries(plain).map(String)).toEqual(some.map(String));
        some.forEach((entry, slot) => expect(entryAt(plain, slot)?.equals(entry)).toBe(true));
        expect(entryAt(plain, some.length)).toBeUndefined();
        expect(entryAt(plain, some.length + 5)).toBeUndefined();
      }),
    );
  });

  it('of any blocks makes one gzip member', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entries, { maxLength: 6 }), async (blocks) => {
        const expected = Buffer.concat(blocks.map(joinEntries));
        const contents = blocks.map((block) => readContent(packContent(joinEntries(block))));
        const zipped = await bytesOf(
          gzipMember(
            (async function* () {
              for (const content of contents) yield [content];
            })(),
          ),
        );
        expect(gunzipSync(zipped).equals(expected)).toBe(true);
        // One member: its deflate stream ends just before the trailer.
        const { engine, buffer } = inflateRawSync(zipped.subarray(10), { info: true }) as unknown as {
          engine: { bytesWritten: number };
          buffer: Buffer;
        };
        expect(buffer.equals(expected)).toBe(true);
        expect(engine.bytesWritten).toBe(zipped.length - 18);
      }),
    );
  });
});

describe('crc32OfBoth', () => {
  it('is the checksum of the concatenated pieces', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.uint8Array({ maxLength: 3000 }), (a, b) => {
        expect(crc32OfBoth(crc32(a), crc32(b), b.length)).toBe(crc32(Buffer.concat([a, b])));
      }),
    );
  });
});

describe('the division into blocks', () => {
  const divided = (entries: readonly Buffer[]): (readonly Buffer[])[] => [
    ...divideIntoBlocks(entries, (entry) => entry),
  ];

  it('has every entry once, within the limits and evenly', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9000 }), { maxLength: 200 }), (lengths) => {
        const all = lengths.map((length, i) => Buffer.from(`${i}`.padEnd(length, 'x')));
        const blocks = divided(all);
        expect(blocks.flat().map(String)).toEqual(all.map(String));
        for (const block of blocks) {
          expect(block.length).toBeLessThanOrEqual(MAX_BLOCK_ENTRIES);
          expect(joinEntries(block).length).toBeLessThanOrEqual(MAX_BLOCK_BYTES * 1.5);
        }
      }),
    );
    const some = Array.from({ length: 101 }, () => Buffer.from('{}'));
    expect(divided(some).map((block) => block.length)).toEqual([51, 50]);
  });

  it('accepts an entry larger than a block', () => {
    expect(divided([Buffer.alloc(200_000, 'x'), Buffer.from('y')])).toHaveLength(2);
  });
});

it('opens what it has sealed', () => {
  const keys = new RecordKeys(7, DataKey.generate());
  fc.assert(
    fc.property(entries, (some) => {
      const block = sealBlock(keys, OBSERVATION, some, Date.now());
      expect(block).toMatchObject({ entries: some.length, plainBytes: joinEntries(some).length });
      const opened = openBlock(keys, OBSERVATION, block.blockId, block.content);
      expect(opened.equals(joinEntries(some))).toBe(true);
    }),
  );
});

describe('newBlockId', () => {
  it('is unique, positive and below 2^63', () => {
    const ids = Array.from({ length: 1000 }, () => newBlockId(Date.now()));
    expect(new Set(ids).size).toBe(1000);
    expect(ids.every((id) => id > 0n && id < 2n ** 63n)).toBe(true);
  });
});

describe('an entry', () => {
  const metadata = {
    id: '0190c5a0-1111-7111-8111-111111111111',
    version: 12,
    lastUpdated: Date.UTC(2026, 1, 3, 4, 5, 6, 7),
  };

  it.each([
    [
      '',
      '',
      '{"resourceType":"Observation","id":"0190c5a0-1111-7111-8111-111111111111","meta":{"versionId":"12","lastUpdated":"2026-02-03T04:05:06.007Z"}}',
    ],
    [
      '"tag":[]',
      '"a":1.0',
      '{"resourceType":"Observation","id":"0190c5a0-1111-7111-8111-111111111111","meta":{"versionId":"12","lastUpdated":"2026-02-03T04:05:06.007Z","tag":[]},"a":1.0}',
    ],
  ])('with meta %j and members %j', (meta, members, expected) => {
    const entry = renderEntry(OBSERVATION, metadata, { meta, members });
    expect(entry).toBe(expected);
    expect(readMetadata(OBSERVATION, Buffer.from(entry))).toEqual(metadata);
  });

  it('is accepted only under its own type, id and version', () => {
    const entry = Buffer.from(renderEntry(OBSERVATION, metadata, { meta: '', members: '' }));
    assertEntryIs(OBSERVATION, metadata.id, 12, entry);
    const others: [number, string, number][] = [
      [typeCodeOf('r4', 'Condition'), metadata.id, 12],
      [OBSERVATION, metadata.id.replace('1', '2'), 12],
      [OBSERVATION, metadata.id, 1],
      [OBSERVATION, metadata.id, 2],
    ];
    for (const [typeCode, id, version] of others)
      expect(() => assertEntryIs(typeCode, id, version, entry)).toThrow(UnsealingError);
    for (const text of ['', '{}', '{"resourceType":"Observation","id":"x"}'])
      expect(() => readMetadata(OBSERVATION, Buffer.from(text))).toThrow(UnsealingError);
  });
});
