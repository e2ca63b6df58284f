import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import {
  type CheckpointContent,
  CheckpointKey,
  CheckpointKeys,
  contentOf,
  encodeCheckpointContent,
  headsOf,
  retirementHash,
} from './checkpoint';

function newKey(): CheckpointKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return new CheckpointKey(privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'));
}

const head = (sequence: number) => ({ streamId: randomUUID() as string, sequence, hash: randomBytes(32) });

describe('a checkpoint', () => {
  const content: CheckpointContent = {
    heads: [head(0), head(2 ** 40)],
    retirements: [randomBytes(32)],
    earlierKeys: [newKey().publicKey],
  };
  const key = newKey();
  const checkpoint = key.sign({
    number: 7,
    at: 1_790_000_000_123,
    previous: randomBytes(32),
    heads: encodeCheckpointContent(content),
  });

  it('keeps its content', () => {
    expect(contentOf(checkpoint)).toEqual(content);
    const none = { heads: [], retirements: [], earlierKeys: [] };
    expect(contentOf({ heads: encodeCheckpointContent(none) })).toEqual(none);
  });

  it('is signed by its key, and by no other', () => {
    expect(new CheckpointKeys([key.publicKey]).check(checkpoint)).toEqual([]);
    const other = newKey();
    const keys = new CheckpointKeys([other.publicKey]);
    for (const keyId of [key.id, other.id])
      expect(keys.check({ ...checkpoint, keyId })).toEqual(['checkpoint not signed']);
    expect(checkpoint.keyId).toBe(key.id);
  });

  it('tells the keys before its own, unless it was changed', () => {
    const [earlier, next] = [newKey(), newKey()];
    const first = earlier.sign(checkpoint);
    const change = next.sign({
      ...checkpoint,
      heads: encodeCheckpointContent({ ...content, earlierKeys: [earlier.publicKey] }),
    });
    const keys = new CheckpointKeys([next.publicKey]);
    expect(keys.check({ ...change, at: change.at + 1 })).toEqual(['checkpoint changed']);
    expect(keys.check(first)).toEqual(['checkpoint not signed']);
    expect([...keys.check(change), ...keys.check(first)]).toEqual([]);
  });

  it.each([
    ['number', { number: 8 }],
    ['time', { at: checkpoint.at + 1 }],
    ['previous checkpoint', { previous: randomBytes(32) }],
    ['content', { heads: encodeCheckpointContent({ ...content, heads: [] }) }],
    ['number that no checkpoint has', { number: NaN }],
  ])('has another hash with another %s', (_what, change) => {
    const keys = new CheckpointKeys([key.publicKey]);
    expect(keys.check({ ...checkpoint, ...change })).toEqual(['checkpoint changed']);
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['shorter', checkpoint.heads.subarray(0, -1)],
    ['longer', Buffer.concat([checkpoint.heads, Buffer.alloc(1)])],
    ['that of too many heads', Buffer.from('ffffffff0000000000000000', 'hex')],
  ])('refuses a content that is %s', (_what, bytes) => {
    expect(contentOf({ heads: bytes })).toBeUndefined();
  });

  it('refuses a key of another kind', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const text = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
    expect(() => new CheckpointKey(text)).toThrow('the key of checkpoints must be an Ed25519 key');
  });
});

describe('a retirement', () => {
  const heads = encodeCheckpointContent({ heads: [head(4)], retirements: [], earlierKeys: [] }).subarray(12);
  const retirement = { partition: 'block_2020_01', from: 1, to: 2, blocks: 3, heads };

  it('has the last block of each stream', () => {
    expect(headsOf({ heads })).toEqual([expect.objectContaining({ sequence: 4 })]);
    expect(headsOf({ heads: heads.subarray(1) })).toBeUndefined();
  });

  it.each([{ partition: 'block_2020_02' }, { from: 0 }, { to: 3 }, { blocks: 4 }, { heads: Buffer.alloc(0) }])(
    'has another hash with %j',
    (change) => {
      expect(retirementHash({ ...retirement, ...change })).not.toEqual(retirementHash(retirement));
    },
  );
});
