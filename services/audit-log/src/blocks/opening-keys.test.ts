import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { wrapStreamKey } from '@tributary/audit-log';
import { openingKeys } from './opening-keys';

function newPair(): { sealing: string; opening: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    sealing: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    opening: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  };
}

it('opens with a key that was added while the process runs', () => {
  const [old, next] = [newPair(), newPair()];
  const secret = { accepted: [old.opening] };
  const opener = openingKeys(secret);
  const [streamId, key] = [randomUUID(), randomBytes(32)];
  const wrapped = { streamId, ...wrapStreamKey(next.sealing, streamId, key) };
  expect(() => opener().open(wrapped)).toThrow(/no opening key/);
  secret.accepted = [old.opening, next.opening];
  expect(opener().open(wrapped)).toEqual(key);
});
