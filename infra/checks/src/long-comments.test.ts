import { findLongComments, hasComments } from './long-comments';

const words = (length: number): string => 'ab '.repeat(length).slice(0, length);

it.each([
  ['a line comment', `  // ${words(116)}`],
  ['a block comment on one line', `/** ${words(115)} */`],
  ['a line of a block comment', `/**\n * a\n * ${words(118)}\n */`],
  ['a line without an asterisk', `/*\n${words(121)}\n*/`],
])('reports %s of more than 120 characters', (_, text) => {
  const lines = text.split('\n');
  const line = lines.findIndex(({ length }) => length > 120);
  expect(findLongComments(`const a = 1;\n${text}\nconst b = 2;`)).toEqual([
    { line: line + 2, problem: `the comment has ${lines[line]?.length} characters: wrap it at 120` },
  ]);
});

it.each([
  ['120 characters', `// ${words(117)}`],
  ['a URL', `// https://hl7.org/fhir/${words(120)}`],
  ['code', `const a = '${words(120)}';`],
  ['code after a comment', `/* a */ const a = 1;\nconst b = '${words(120)}';`],
  ['code after a block', `/**\n * a\n */\nconst a = '${words(120)}';`],
])('accepts %s', (_, text) => {
  expect(findLongComments(text)).toEqual([]);
});

it.each([
  ['packages/sdk/src/users.ts', true],
  ['infra/checks/lint.mjs', true],
  ['services/documentation/assets/site.js', true],
  ['README.md', false],
  ['packages/sdk/src/api-types.ts', false],
  ['packages/fhir-definitions/src/elements/tables/r4.ts', false],
])('has comments to check: %s %s', (path, expected) => {
  expect(hasComments(path)).toBe(expected);
});
