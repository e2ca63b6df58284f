import { findForbiddenFiles } from './image-files';
import { LockFile } from './lock-file';

const lock = new LockFile(
  JSON.stringify({
    packages: {
      'services/auth': { name: '@t/auth', dependencies: { '@t/kit': '1', pg: '1' }, devDependencies: { jest: '1' } },
      'services/search': { name: '@t/search', dependencies: { words: '1' } },
      'packages/kit': { name: '@t/kit', dependencies: { cache: '1' } },
      'packages/test-environment': { name: '@t/test-environment' },
      'node_modules/@t/kit': { link: true, resolved: 'packages/kit' },
      'packages/kit/node_modules/cache': { version: '1.0.0' },
      'node_modules/pg': { version: '1.0.0' },
      'node_modules/words': { version: '1.0.0' },
      'node_modules/jest': { version: '1.0.0', dev: true },
      'node_modules/pg/node_modules/split': { version: '1.0.0', dev: true },
    },
  }),
);
const needed = lock.withNeeds(lock.workspace('services/auth'));

describe('the files of an image', () => {
  it.each([
    '/usr/local/bin/node',
    '/usr/local/bin/tributary',
    '/usr/bin/perl',
    '/suite/services/auth/dist/main.js',
    '/suite/services/auth/dist/main.d.ts',
    '/suite/services/auth/package.json',
    '/suite/node_modules/pg/lib/index.js',
    '/suite/node_modules/pg/src/index.ts',
    '/suite/packages/kit/node_modules/cache/src/x.js',
    '/suite/node_modules/@t/kit',
    '/suite/node_modules/.package-lock.json',
  ])('may contain %s', (file) => expect(findForbiddenFiles([file], needed)).toEqual([]));

  it.each([
    ['/usr/local/bin/npm', '/usr/local/bin/npm'],
    ['/usr/bin/gcc', '/usr/bin/gcc'],
    ['/usr/bin/python3', '/usr/bin/python3'],
    ['/usr/local/lib/node_modules/npm/package.json', '/usr/local/lib/node_modules/npm'],
    ['/suite/services/auth/src/main.js', '/suite/services/auth/src/main.js'],
    ['/suite/services/auth/test/auth.js', '/suite/services/auth/test/auth.js'],
    ['/suite/services/auth/dist/main.ts', '/suite/services/auth/dist/main.ts'],
    ['/suite/packages/test-environment/dist/index.js', '/suite/packages/test-environment'],
    ['/suite/services/search/dist/main.js', '/suite/services/search'],
    ['/suite/node_modules/words/index.js', '/suite/node_modules/words'],
    ['/suite/node_modules/jest/bin/jest.js', '/suite/node_modules/jest'],
    ['/suite/node_modules/@types/node/index.js', '/suite/node_modules/@types/node'],
    ['/suite/node_modules/pg/node_modules/split/a.js', '/suite/node_modules/pg/node_modules/split'],
  ])('may not contain %s', (file, reported) => expect(findForbiddenFiles([file], needed)).toEqual([reported]));

  it('are reported once for each package', () => {
    expect(findForbiddenFiles(['/suite/node_modules/jest/a.js', '/suite/node_modules/jest/b/c.js'], needed)).toEqual([
      '/suite/node_modules/jest',
    ]);
  });
});
