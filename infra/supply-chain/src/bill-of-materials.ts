import { randomUUID } from 'node:crypto';
import parseExpression from 'spdx-expression-parse';
import type { LockFile, LockedPackage } from './lock-file';

interface Component {
  type: 'application' | 'container' | 'library';
  'bom-ref': string;
  group?: string;
  name: string;
  version?: string;
  purl?: string;
  licenses?: ({ expression: string } | { license: { name: string } })[];
  hashes?: { alg: 'SHA-512'; content: string }[];
}

/** A CycloneDX 1.5 document (https://cyclonedx.org/docs/1.5/json/). */
export interface BillOfMaterials {
  $schema: string;
  bomFormat: 'CycloneDX';
  specVersion: '1.5';
  serialNumber: string;
  version: 1;
  metadata: { timestamp: string; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * Describes a workspace and all packages that it needs at run time. `npm sbom --omit=dev` cannot: it leaves out each
 * package that any workspace also has as a development dependency.
 * @throws Error when the lock file lacks one
 */
export function billOfMaterials(lock: LockFile, root: LockedPackage, now: Date): BillOfMaterials {
  const components = new Map<string, Component>();
  const dependsOn = new Map<string, Set<string>>();
  for (const one of lock.withNeeds(root)) {
    const component = componentOf(one);
    const ref = component['bom-ref'];
    if (one !== root) components.set(ref, component);
    // The same version can be installed in several places.
    const needs = dependsOn.get(ref) ?? new Set();
    dependsOn.set(ref, needs);
    for (const needed of lock.neededBy(one)) needs.add(purlOf(needed));
  }
  return {
    ...emptyBill({ ...componentOf(root), type: 'application' }, now),
    components: [...components.values()].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
    dependencies: [...dependsOn].map(([ref, needs]) => ({ ref, dependsOn: [...needs].sort() })),
  };
}

/** Describes an image without packages of npm; `withDebian` adds what it has. */
export function billOfBareImage(image: string, now: Date): BillOfMaterials {
  return emptyBill({ type: 'container', 'bom-ref': image, name: image }, now);
}

function emptyBill(component: Component, now: Date): BillOfMaterials {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: { timestamp: now.toISOString(), component },
    components: [],
    dependencies: [],
  };
}

function componentOf(one: LockedPackage): Component {
  const [group, name] = one.name.startsWith('@') ? one.name.split('/') : [undefined, one.name];
  const purl = purlOf(one);
  const sha512 = /^sha512-(\S+)$/.exec(one.integrity ?? '')?.[1];
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group === undefined ? {} : { group }),
    name: name ?? '',
    version: one.version,
    purl,
    ...(one.licence === '' ? {} : { licenses: [licenceOf(one.licence)] }),
    ...(sha512 ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }] } : {}),
  };
}

/** A package URL (https://github.com/package-url/purl-spec). */
function purlOf({ name, version }: LockedPackage): string {
  return `pkg:npm/${name.split('/').map(encodeURIComponent).join('/')}@${encodeURIComponent(version)}`;
}

function licenceOf(licence: string): { expression: string } | { license: { name: string } } {
  try {
    parseExpression(licence);
    return { expression: licence };
  } catch {
    return { license: { name: licence } };
  }
}

/** A package of Debian in an image. */
export interface DebianPackage {
  name: string;
  version: string;
  architecture: string;
}

/** The arguments of `dpkg-query` that print what `parseDebianPackages` reads. */
export const dpkgQuery = ['-W', '-f', '${Package}\\t${Version}\\t${Architecture}\\n'];

/** @throws Error when a line has another form */
export function parseDebianPackages(output: string): DebianPackage[] {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', version = '', architecture = ''] = line.split('\t');
      if (!name || !version || !architecture) throw new Error(`dpkg-query printed an unexpected line: ${line}`);
      return { name, version, architecture };
    });
}

/** Adds the packages of the operating system of an image, which the document then describes. */
export function withDebian(bill: BillOfMaterials, image: string, debian: readonly DebianPackage[]): BillOfMaterials {
  const { component } = bill.metadata;
  return {
    ...bill,
    metadata: { ...bill.metadata, component: { ...component, type: 'container', name: image } },
    components: [
      ...bill.components,
      ...debian.map(({ name, version, architecture }): Component => {
        const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
        return { type: 'library', 'bom-ref': purl, name, version, purl };
      }),
    ],
  };
}
