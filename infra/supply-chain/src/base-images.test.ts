import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseImages, pinnedLine } from './base-images';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('the base images', () => {
  it('are those of docker-compose.yml', () => {
    const compose = readFileSync(join(__dirname, '..', '..', '..', 'docker-compose.yml'), 'utf8');
    expect(Object.keys(baseImages(compose)).sort()).toEqual([
      'DEBIAN_IMAGE',
      'NODE_IMAGE',
      'POSTGRES_IMAGE',
      'REDIS_IMAGE',
    ]);
    expect(() => baseImages('services: {}')).toThrow('no base image');
  });

  it('are pinned to the digest of their registry', () => {
    expect(pinnedLine('NODE_IMAGE', 'node:24', `["node@${digest}"]\n`)).toBe(`NODE_IMAGE=node:24@${digest}`);
  });

  it.each(['', '[]', 'null', '["node:24"]'])('have no digest when the engine prints %j', (text) =>
    expect(pinnedLine('NODE_IMAGE', 'node:24', text)).toBeUndefined(),
  );
});
