import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { copyImageTree } from './image-tree';
import { LockFile } from './lock-file';

/** The platform of the images. */
const here = { os: ['linux'], cpu: [process.arch] };

const lock = new LockFile(
  JSON.stringify({
    packages: {
      'services/shop': { name: '@t/shop', dependencies: { '@t/kit': '1', web: '1' }, devDependencies: { jest: '1' } },
      'services/other': { name: '@t/other', dependencies: { large: '1' } },
      'packages/kit': { name: '@t/kit', dependencies: { web: '^2' } },
      'node_modules/@t/shop': { link: true, resolved: 'services/shop' },
      'node_modules/@t/kit': { link: true, resolved: 'packages/kit' },
      'node_modules/web': { version: '1.0.0' },
      'node_modules/web/node_modules/unused': { version: '1.0.0', dev: true },
      'node_modules/large': { version: '1.0.0' },
      'packages/kit/node_modules/web': {
        version: '2.0.0',
        optionalDependencies: { 'web-here': '1', 'web-musl': '1', 'web-elsewhere': '1', faster: '1' },
      },
      'node_modules/web-here': { version: '1.0.0', ...here, libc: ['glibc'] },
      'node_modules/web-musl': { version: '1.0.0', ...here, libc: ['musl'] },
      'node_modules/web-elsewhere': { version: '1.0.0', ...here, os: ['darwin'] },
      'node_modules/faster': { version: '1.0.0' },
      'node_modules/jest': { version: '1.0.0', dev: true },
    },
  }),
);

describe('the tree of an image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-tree-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [from, to] = [join(folder, 'repository'), join(folder, 'image')];
  beforeAll(() => {
    const exporting = (text: string): string => `module.exports = '${text}';`;
    const files = {
      'services/shop/package.json': '{ "main": "dist/main.js" }',
      'services/shop/dist/main.js': `console.log(require('@t/kit'), require('web'))`,
      'services/other/dist/main.js': '',
      'packages/kit/package.json': '{ "main": "dist/index.js" }',
      'packages/kit/dist/index.js': `module.exports = require('./inner') + require('web')`,
      'packages/kit/dist/inner.js': exporting('kit '),
      'packages/kit/dist/index.js.map': '{}',
      'packages/kit/dist/index.d.ts': '',
      'packages/kit/node_modules/web/index.js': exporting('web 2'),
      'node_modules/web/index.js': exporting('web 1'),
      'node_modules/web/index.d.cts': '',
      'node_modules/web/index.js.map': '{}',
      'node_modules/web/README.md': '',
      'node_modules/web/LICENSE.md': '',
      'node_modules/web/node_modules/unused/index.js': '',
      'node_modules/web-here/web.node': '',
      'node_modules/web-musl/web.node': '',
      'node_modules/web-elsewhere/web.node': '',
      'node_modules/faster/index.js': '',
      'node_modules/large/index.js': '',
      'node_modules/jest/index.js': '',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(from, path)), { recursive: true });
      writeFileSync(join(from, path), text);
    }
    copyImageTree(lock, lock.workspace('services/shop'), from, to);
  });

  it('has what the service needs at run time, and nothing else', () => {
    const entries = readdirSync(to, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
    expect(files.map((file) => relative(to, file)).sort()).toEqual([
      'node_modules/@t/kit',
      'node_modules/@t/shop',
      'node_modules/web-here/web.node',
      'node_modules/web/LICENSE.md',
      'node_modules/web/index.js',
      'packages/kit/dist/index.js',
      'packages/kit/dist/inner.js',
      'packages/kit/node_modules/web/index.js',
      'packages/kit/package.json',
      'services/shop/dist/main.js',
      'services/shop/package.json',
    ]);
  });

  it('is a program whose packages Node.js finds', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['services/shop'], { cwd: to, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['kit web 2 web 1\n', '']);
    expect(readlinkSync(join(to, 'node_modules/@t/kit'))).toBe('../../packages/kit');
  });
});
