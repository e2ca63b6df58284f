import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, findLicenceProblems, licencePolicy } from './licences';
import { LockFile, type LockedPackage, readLockFile } from './lock-file';

const repository = join(__dirname, '..', '..', '..');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const locked = (licence: string, more: Partial<LockedPackage> = {}): LockedPackage => ({
  name: 'one',
  version: '1.0.0',
  path: 'node_modules/one',
  licence,
  isForDevelopment: false,
  isWorkspace: false,
  needs: [],
  mayUse: [],
  isImageBuild: false,
  ...more,
});
const policy = licencePolicy.parse({ production: ['MIT', 'Apache-2.0'], development: ['MPL-2.0'], exceptions: [] });
const problemsOf = (one: LockedPackage): string[] => findLicenceProblems([one], policy, () => undefined);

describe('the licences of the packages', () => {
  it.each(['MIT', 'MIT OR GPL-3.0-only', '(GPL-3.0-only OR Apache-2.0)', 'MIT AND Apache-2.0'])(
    'can be %s',
    (licence) => expect(problemsOf(locked(licence))).toEqual([]),
  );

  it.each([
    'GPL-3.0-only',
    'MIT AND GPL-3.0-only',
    'MPL-2.0',
    'Apache-2.0 WITH LLVM-exception',
    'Apache-2.0+',
    'SEE LICENSE IN LICENSE.md',
    'UNLICENSED',
  ])('cannot be %s in production', (licence) =>
    expect(problemsOf(locked(licence))).toEqual([`one@1.0.0: the licence ${licence} is not accepted`]),
  );

  it('must be stated', () =>
    expect(problemsOf(locked(''))).toEqual(['one@1.0.0: the licence (none is stated) is not accepted']));

  it('can be further ones for development', () => {
    expect(problemsOf(locked('MPL-2.0', { isForDevelopment: true }))).toEqual([]);
    expect(problemsOf(locked('GPL-3.0-only', { isForDevelopment: true }))).toHaveLength(1);
  });

  it('have exceptions for one version and one text', () => {
    const excepting = licencePolicy.parse({
      ...policy,
      exceptions: [
        {
          package: 'one',
          version: '1.0.0',
          reason: 'It has the text of the MIT licence.',
          file: 'LICENSE',
          sha256: sha256('do as you like'),
        },
      ],
    });
    const withText = (one: LockedPackage, text?: string): string[] =>
      findLicenceProblems([one], excepting, (path) =>
        path === 'node_modules/one/LICENSE' && text !== undefined ? Buffer.from(text) : undefined,
      );
    expect(withText(locked(''), 'do as you like')).toEqual([]);
    expect(withText(locked(''), 'pay me')).toEqual([expect.stringContaining('LICENSE has changed')]);
    expect(withText(locked(''))).toEqual(['one@1.0.0: its file LICENSE is missing']);
    expect(withText(locked('', { version: '1.0.1' }), 'do as you like')).toEqual([
      'one@1.0.1: the licence (none is stated) is not accepted',
      expect.stringContaining('no package needs this exception'),
    ]);
  });

  it('of this repository are accepted, and its packages of production need no licence of development', () => {
    const own = licencePolicy.parse(JSON.parse(readFileSync(join(__dirname, '..', 'licences.json'), 'utf8')));
    const { packages } = readLockFile(repository);
    expect(packages.length).toBeGreaterThan(1000);
    expect(findLicenceProblems(packages, own, filesBelow(repository))).toEqual([]);
  });
});

it('names a package by its folder, or by the name that an alias stands for', () => {
  const text = JSON.stringify({
    packages: {
      '': { name: 'root' },
      'packages/own': { name: '@tributary/own', version: '0.1.0' },
      'node_modules/@tributary/own': { resolved: 'packages/own', link: true },
      'node_modules/@a/b/node_modules/c': { version: '2.0.0', license: 'MIT', dev: true },
      'node_modules/alias': { name: 'real', version: '3.0.0' },
    },
  });
  expect(new LockFile(text).packages).toMatchObject([
    {
      name: 'c',
      version: '2.0.0',
      path: 'node_modules/@a/b/node_modules/c',
      licence: 'MIT',
      isForDevelopment: true,
    },
    { name: 'real', version: '3.0.0', path: 'node_modules/alias', licence: '', isForDevelopment: false },
  ]);
});
