import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type AuditEvent, auditEventSchema, eventIdOf, positionOfEvent } from '../event/audit-event';
import { type Block, clientKey, expectedHash, noPrevious, openBlock, sealBlock } from './block';
import { StreamKeyOpener, wrapStreamKey } from './stream-key';

const key = randomBytes(32);
const streamId = randomUUID();
const first = { streamId, sequence: 0, startedAt: 1_790_000_000_000, previous: noPrevious };

function event(changes: Partial<AuditEvent> = {}): AuditEvent {
  return {
    kind: 'fhir.read',
    action: 'R',
    outcome: 'success',
    status: 200,
    at: 1_790_000_000_000,
    requestId: randomUUID(),
    agent: { clientId: 'app', serviceUserId: 42 },
    address: '192.0.2.1',
    userAgent: 'okhttp',
    subject: 42,
    entities: [{ release: 'r4', type: 'Observation', id: randomUUID(), version: 1, count: 1 }],
    ...changes,
  };
}

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}$/);
const natural = fc.nat();
const positive = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const anyEvent = fc
  .record({
    kind: name,
    action: fc.constantFrom('C', 'R', 'U', 'D', 'E'),
    outcome: fc.constantFrom('success', 'refused', 'failed', 'aborted', 'begun'),
    status: optional(natural),
    errorCode: optional(name),
    at: natural,
    requestId: optional(fc.string()),
    agent: fc.record({
      clientId: optional(fc.string()),
      serviceUserId: optional(positive),
      developer: optional(fc.string()),
      service: optional(fc.string()),
      operator: optional(fc.string()),
    }),
    address: optional(fc.string()),
    userAgent: optional(fc.string()),
    subject: optional(positive),
    entities: optional(
      fc.array(
        fc.record({
          release: optional(fc.string()),
          type: optional(fc.string()),
          id: optional(fc.string()),
          version: optional(natural),
          query: optional(fc.string()),
          count: optional(natural),
          counts: optional(fc.dictionary(name, natural)),
          bytes: optional(natural),
        }),
      ),
    ),
    eventOf: optional(fc.string()),
  })
  // Members without a value are left out, as in the stored form.
  .map((made) => JSON.parse(JSON.stringify(made)) as AuditEvent);

describe('a block', () => {
  it('gives back its events, compressed or not, whatever characters they contain', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 20 }), (events) => {
        for (const one of events) auditEventSchema.parse(one);
        const block = sealBlock(key, first, events);
        expect(block.events).toBe(events.length);
        expect(openBlock(key, block)).toEqual(events);
        expect(expectedHash(block)).toEqual(block.hash);
      }),
      { numRuns: 50 },
    );
  });

  it('takes at most 300 bytes for one event, and 100 for each of 16', () => {
    const size = ({ content, keys }: Block): number => content.length + 8 * keys.length + 64;
    expect(size(sealBlock(key, first, [event()]))).toBeLessThan(400);
    const events = Array.from({ length: 16 }, () =>
      event({ entities: [{ release: 'r4', type: 'Observation', count: 7 }] }),
    );
    expect(size(sealBlock(key, first, events)) / 16).toBeLessThan(100);
  });

  const block = sealBlock(key, first, [event(), event({ subject: 43, agent: { clientId: 'other' } })]);
  it('has the users and clients of its events as keys', () => {
    expect(new Set(block.keys)).toEqual(new Set([42n, 43n, clientKey('app'), clientKey('other')]));
    expect(clientKey('app')).toBeLessThan(0n);
    expect(block.keys).toEqual([...block.keys].sort((a, b) => (a < b ? -1 : 1)));
  });

  it('does not show who accessed what', () => {
    for (const text of ['192.0.2.1', 'okhttp', 'Observation', 'app', 'fhir.read'])
      expect(block.content.includes(text)).toBe(false);
  });

  const flipped = (bytes: Buffer, at: number): Buffer => {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    return changed;
  };
  it.each<[keyof Block, Partial<Block>]>([
    ['streamId', { streamId: randomUUID() }],
    ['sequence', { sequence: 1 }],
    ['startedAt', { startedAt: first.startedAt + 1 }],
    ['events', { events: 3 }],
    ['keys', { keys: block.keys.slice(1) }],
    ['previous', { previous: flipped(noPrevious, 31) }],
    ['content', { content: flipped(block.content, 0) }],
    ['content', { content: flipped(block.content, block.content.length - 1) }],
  ])('is neither opened nor has its hash with another %s', (_column, changes) => {
    expect(() => openBlock(key, { ...block, ...changes })).toThrow();
    expect(expectedHash({ ...block, ...changes })).not.toEqual(block.hash);
  });

  it('is not opened with the key of another stream', () => {
    expect(() => openBlock(randomBytes(32), block)).toThrow();
  });
});

describe('the key of a stream', () => {
  const pair = (): { sealing: string; opening: string } => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return {
      sealing: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      opening: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    };
  };
  const [old, next] = [pair(), pair()];
  const wrapped = { streamId, ...wrapStreamKey(old.sealing, streamId, key) };

  it('is opened with each of the opening keys', () => {
    const opener = new StreamKeyOpener([old.opening, next.opening]);
    expect(opener.open(wrapped)).toEqual(key);
    expect(opener.open({ streamId, ...wrapStreamKey(next.sealing, streamId, key) })).toEqual(key);
  });

  it('is not opened without its opening key, nor as that of another stream', () => {
    expect(() => new StreamKeyOpener([next.opening]).open(wrapped)).toThrow(wrapped.keyId);
    expect(() => new StreamKeyOpener([old.opening]).open({ ...wrapped, streamId: randomUUID() })).toThrow();
  });
});

it('reads back the id of an event, and no other text', () => {
  const position = { streamId, sequence: 71, index: 40 };
  expect(eventIdOf(position)).toBe(`${streamId}.1z.14`);
  expect(positionOfEvent(eventIdOf(position))).toEqual(position);
  for (const text of ['', streamId, `${streamId}.01.0`, `${streamId}.1.0 `, `${streamId}.1.zzzz`])
    expect(positionOfEvent(text)).toBeUndefined();
});
