import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import {
  type CheckpointContent,
  CheckpointKey,
  checkpointHash,
  checkpointKeyId,
  decodeCheckpointContent,
  decodeHeads,
  encodeCheckpointContent,
  isSignedBy,
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
    expect(decodeCheckpointContent(checkpoint.heads)).toEqual(content);
    const none = { heads: [], retirements: [], earlierKeys: [] };
    expect(decodeCheckpointContent(encodeCheckpointContent(none))).toEqual(none);
  });

  it('is signed by its key, and by no other', () => {
    expect(isSignedBy(checkpoint, key.publicKey)).toBe(true);
    expect(isSignedBy(checkpoint, newKey().publicKey)).toBe(false);
    expect([checkpoint.keyId, key.id]).toEqual([checkpointKeyId(key.publicKey), checkpointKeyId(key.publicKey)]);
  });

  it.each([
    ['number', { number: 8 }],
    ['time', { at: checkpoint.at + 1 }],
    ['previous checkpoint', { previous: randomBytes(32) }],
    ['content', { heads: encodeCheckpointContent({ ...content, heads: [] }) }],
  ])('has another hash with another %s', (_what, change) => {
    expect(checkpointHash(checkpoint)).toEqual(checkpoint.hash);
    expect(checkpointHash({ ...checkpoint, ...change })).not.toEqual(checkpoint.hash);
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['shorter', checkpoint.heads.subarray(0, -1)],
    ['longer', Buffer.concat([checkpoint.heads, Buffer.alloc(1)])],
    ['that of too many heads', Buffer.from('ffffffff0000000000000000', 'hex')],
  ])('refuses a content that is %s', (_what, bytes) => {
    expect(() => decodeCheckpointContent(bytes)).toThrow(/the content of the checkpoint/);
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
    expect(decodeHeads(heads)).toEqual([expect.objectContaining({ sequence: 4 })]);
    expect(() => decodeHeads(heads.subarray(1))).toThrow('the heads of the streams are incomplete');
  });

  it.each([{ partition: 'block_2020_02' }, { from: 0 }, { to: 3 }, { blocks: 4 }, { heads: Buffer.alloc(0) }])(
    'has another hash with %j',
    (change) => {
      expect(retirementHash({ ...retirement, ...change })).not.toEqual(retirementHash(retirement));
    },
  );
});
