import { findObjectMaps, hasMaps } from './object-maps';

it.each([
  'const states: Record<string, string> = {',
  'export const states: Readonly<Record<string, string | undefined>> = {',
  "const types: Record<string, string> = { css: 'text/css' };",
  'const readers: Readonly<Record<string, (content: Buffer) => string>> = {',
  'const differences: Record<Release, Record<string, object>> = {',
])('reports %s', (line) => {
  const name = /const (\w+)/.exec(line)?.[1];
  expect(findObjectMaps(`/** A table. */\n${line}`)).toEqual([
    {
      line: 2,
      problem: `make ${name} a Map: an object also has the keys of Object.prototype, such as "constructor"`,
    },
  ]);
});

it.each([
  "const states: ReadonlyMap<string, string> = new Map(Object.entries({ al: 'alabama' }));",
  'const typeRules: Record<SearchParameterType, string> = {',
  "const errors = { Gone: [410, 'Gone'] } as const satisfies Record<string, readonly [number, string]>;",
  'const entities: Record<string, string> = Object.assign(Object.create(null), {',
  'const send = (headers: Record<string, string> = {}): void => {',
  '  const headers: Record<string, string> = {',
])('accepts %s', (line) => {
  expect(findObjectMaps(line)).toEqual([]);
});

it.each([
  ['services/search/src/ranking/terms.ts', true],
  ['packages/contracts/src/releases.ts', true],
  ['packages/contracts/src/releases.test.ts', false],
  ['packages/contracts/test/releases.ts', false],
  ['packages/fhir-definitions/src/elements/tables/r4.ts', false],
  ['infra/checks/src/main.ts', false],
])('has tables to check: %s %s', (path, expected) => {
  expect(hasMaps(path)).toBe(expected);
});
