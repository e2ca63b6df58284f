import { createCipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { type Block, noPrevious, openBlock } from './block';
import {
  maxContentBytes,
  maxDetails,
  maxEntities,
  maxEventBytes,
  maxEventsPerBlock,
  maxInflatedBytes,
} from './block-limits';

const key = randomBytes(32);
const streamId = randomUUID();
const event = JSON.stringify({ k: 'fhir.read', a: 'R', o: 's', t: 1 });

/** A block as the README states the stored form, with any plaintext: a service that was taken over holds its key. */
function sealed(plaintext: string, events: number): Block {
  const numbers = Buffer.alloc(24);
  numbers.writeBigInt64BE(0n, 0);
  numbers.writeBigInt64BE(1000n, 8);
  numbers.writeUInt32BE(events, 16);
  const associated = Buffer.concat([
    Buffer.of(1),
    Buffer.from(streamId.replaceAll('-', ''), 'hex'),
    numbers,
    noPrevious,
  ]);
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(12)).setAAD(associated);
  const parts = [cipher.update(Buffer.of(1)), cipher.update(deflateRawSync(plaintext)), cipher.final()];
  const content = Buffer.concat([...parts, cipher.getAuthTag()]);
  const hash = createHash('sha256').update(associated).update(content).digest();
  return { streamId, sequence: 0, startedAt: 1000, events, keys: [], previous: noPrevious, content, hash };
}

it('opens what a process writes', () => {
  expect(openBlock(key, sealed(`1\n${event}\n${event}`, 2))).toHaveLength(2);
});

it.each([
  ['inflates to more than a reader takes', '1' + '\n'.repeat(maxInflatedBytes), maxEventsPerBlock, /larger than/],
  ['has more lines than events', `1\n${event}${'\n'.repeat(maxInflatedBytes - 1000)}`, 1, /number of events/],
  ['has fewer lines than events', `1\n${event}`, 2, /number of events/],
  ['has more events than a block', '1' + `\n${event}`.repeat(maxEventsPerBlock + 1), maxEventsPerBlock + 1, /too many/],
  ['has an event that is too large', `1\n{"n":[${'{},'.repeat(maxEventBytes / 3)}{}]}`, 1, /too large/],
  [
    'has an event with too many entities',
    `1\n${event.replace('}', `,"n":[${'{},'.repeat(maxEntities)}{}]}`)}`,
    1,
    /too_big/,
  ],
  [
    'has events with too many entities together',
    `1${`\n${event.replace('}', `,"n":[${'{},'.repeat(499)}{}]}`)}`.repeat(maxDetails / 500 + 1)}`,
    maxDetails / 500 + 1,
    /too many entities/,
  ],
  [
    'has events with too many numbers together',
    `1${`\n${event.replace('}', `,"n":[{"c":{${Array.from({ length: 5000 }, (_, n) => `"${n}":1`).join()}}}]}`)}`.repeat(4)}`,
    4,
    /too many entities/,
  ],
  ['has an event at a time that no date has', `1\n${event.replace('"t":1', '"t":9000000000000000')}`, 1, /too_big/],
])('does not open content that %s', (_what, plaintext, events, message) => {
  const block = sealed(plaintext, events);
  expect(block.content.length).toBeLessThan(maxContentBytes);
  expect(() => openBlock(key, block)).toThrow(message);
});
