import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import {
  type BillOfMaterials,
  billOfBareImage,
  billOfMaterials,
  parseDebianPackages,
  withDebian,
} from './bill-of-materials';
import { LockFile, readLockFile } from './lock-file';

const schemaOf = (name: string): object =>
  JSON.parse(
    readFileSync(join(__dirname, '..', 'schema', `${name}.schema.json`), 'utf8').replaceAll('.SNAPSHOT.', '.'),
  ) as object;
const ajv = new Ajv({ strict: false, validateFormats: false, schemas: ['spdx', 'jsf-0.82'].map(schemaOf) });
const isValid = ajv.compile(schemaOf('bom-1.5'));

/** The names of the components, with their versions. */
const contentsOf = ({ components }: BillOfMaterials): string[] =>
  components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`);

const now = new Date('2026-11-22T12:00:00Z');
const repository = join(__dirname, '..', '..', '..');

const lock = new LockFile(
  JSON.stringify({
    packages: {
      '': { name: 'root' },
      'services/shop': {
        name: '@t/shop',
        version: '0.1.0',
        dependencies: { '@t/kit': '1', http: '1' },
        devDependencies: { jest: '1' },
      },
      'packages/kit': { name: '@t/kit', version: '0.1.0', dependencies: { http: '^2' } },
      'node_modules/@t/shop': { link: true, resolved: 'services/shop' },
      'node_modules/@t/kit': { link: true, resolved: 'packages/kit' },
      'packages/kit/node_modules/http': { version: '2.0.0', license: 'MIT', dependencies: { bytes: '1' } },
      'node_modules/http': {
        version: '1.0.0',
        license: 'SEE LICENSE IN LICENSE.md',
        integrity: 'sha512-AAECAw==',
        peerDependencies: { bytes: '1', colours: '1' },
        peerDependenciesMeta: { colours: { optional: true } },
        optionalDependencies: { native: '1' },
      },
      'node_modules/bytes': { version: '1.0.0', license: 'MIT OR ISC', dev: true },
      'node_modules/colours': { version: '1.0.0' },
      'node_modules/native': { version: '1.0.0', optional: true },
      'node_modules/jest': { version: '1.0.0', dev: true },
    },
  }),
);

describe('a bill of materials', () => {
  const bill = billOfMaterials(lock, lock.workspace('services/shop'), now);

  it('has what a workspace needs at run time, where Node.js finds it', () => {
    expect(contentsOf(bill)).toEqual(['@t/kit@0.1.0', 'bytes@1.0.0', 'http@1.0.0', 'http@2.0.0']);
    expect(bill.metadata.component).toMatchObject({ type: 'application', group: '@t', name: 'shop' });
    expect(Object.fromEntries(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))).toEqual({
      'pkg:npm/%40t/shop@0.1.0': ['pkg:npm/%40t/kit@0.1.0', 'pkg:npm/http@1.0.0'],
      'pkg:npm/%40t/kit@0.1.0': ['pkg:npm/http@2.0.0'],
      'pkg:npm/http@1.0.0': ['pkg:npm/bytes@1.0.0'],
      'pkg:npm/http@2.0.0': ['pkg:npm/bytes@1.0.0'],
      'pkg:npm/bytes@1.0.0': [],
    });
  });

  it('names licences and hashes', () => {
    expect(bill.components).toMatchObject([
      {},
      { licenses: [{ expression: 'MIT OR ISC' }] },
      {
        licenses: [{ license: { name: 'SEE LICENSE IN LICENSE.md' } }],
        hashes: [{ alg: 'SHA-512', content: '00010203' }],
      },
      { licenses: [{ expression: 'MIT' }] },
    ]);
  });

  it('of each service conforms to CycloneDX 1.5, also with the packages of an image', () => {
    const debian = parseDebianPackages('libc6\t2.36-9+deb12u9\tamd64\nlibstdc++6\t12.2.0-14\tamd64\n');
    const ofSuite = readLockFile(repository);
    for (const service of ['services/auth', 'services/fhir-store', 'services/mcp-server', 'infra/compose']) {
      const own = billOfMaterials(ofSuite, ofSuite.workspace(service), now);
      const ofImage = withDebian(own, `tributary/${service}`, debian);
      for (const document of [own, ofImage]) {
        expect([service, isValid(document), isValid.errors]).toEqual([service, true, null]);
        const found = contentsOf(document).filter((name) => /^pg@|^jest@|test-environment|js-redis-server/.test(name));
        expect([service, found]).toEqual([service, [expect.stringMatching(/^pg@/)]]);
      }
      expect(contentsOf(ofImage).slice(-2)).toEqual(['libc6@2.36-9+deb12u9', 'libstdc++6@12.2.0-14']);
      expect(ofImage.components.at(-1)?.purl).toBe('pkg:deb/debian/libstdc%2B%2B6@12.2.0-14?arch=amd64');
    }
    const gateway = withDebian(billOfBareImage('tributary/gateway', now), 'tributary/gateway', debian);
    expect([isValid(gateway), isValid.errors, contentsOf(gateway).length]).toEqual([true, null, 2]);
    expect(isValid({ ...bill, components: [{ type: 'library' }] })).toBe(false);
  });

  it('needs a workspace and complete lines of dpkg-query', () => {
    for (const folder of ['services/shops', 'node_modules/http'])
      expect(() => lock.workspace(folder)).toThrow(`no workspace ${folder}`);
    expect(() => parseDebianPackages('libc6\n')).toThrow('unexpected line');
  });
});
