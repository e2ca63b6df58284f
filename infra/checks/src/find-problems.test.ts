import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findProblems } from './find-problems';
import { openRepository } from './repository';

describe('the check of the documentation', () => {
  const root = mkdtempSync(join(tmpdir(), 'documentation-check-'));
  const files: Record<string, string> = {
    'package.json': '{"scripts":{"start":"x","bench":"x"}}',
    'services/auth/package.json': '{"scripts":{"derive":"x"}}',
    'services/auth/README.md': '# Auth\n## Token lives\n## Token lives\n',
    'services/auth/src/tokens/issue.ts': '',
    'services/search/src/load.ts': '',
    'services/search/README.md': '## Ranking\n## Ranking\n',
    'infra/docs/table.json': '',
    'node_modules/.bin/jest': '',
  };

  beforeAll(() => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const problems = (text: string, path = 'services/auth/README.md'): string[] =>
    findProblems(path, text, openRepository(root)).map(({ line, problem }) => `${line}: ${problem}`);

  it.each([
    '[text](src/tokens/issue.ts) and [another](../search/src/load.ts)',
    '[a folder](../../infra/docs) [a heading](#token-lives) [a second](../search/README.md#ranking-1)',
    '[elsewhere](https://example.org/a#b)',
    '`src/tokens/issue.ts`, `issue.ts:12`, `../tokens/issue.ts`, `tokens/issue.ts`, `src/{tokens,tokens}/issue.ts`, `src/**/issue.ts`',
    '`infra/docs`, `infra/docs/table.json`, `openapi.json`, `dist/main.js`, `a/b`',
    '```sh\nnpm start -- --fresh\nPORT_BASE=5000 npm run --silent bench && npx jest tokens\n```',
    '```sh\ncd services/auth && npm run derive # a comment\n```',
    '```ts\nnpm run nothing\n```',
    '`npm run derive`',
    '`{base_url}/openapi.json`, `{base_url}/{release}/openapi.json`',
  ])('accepts %s', (text) => {
    expect(problems(text + '\n## Token lives')).toEqual([]);
  });

  it.each([
    ['see\n[text](src/tokens/gone.ts)', '2: the link src/tokens/gone.ts leads to no file'],
    ['[text](#gone)', '1: the link #gone leads to no heading'],
    ['[text](https://)', '1: the address https:// is malformed'],
    ['`src/tokens/gone.ts`', '1: there is no file src/tokens/gone.ts'],
    ['`load.ts`', '1: there is no file load.ts'],
    ['`services/gone`', '1: there is no file services/gone'],
    ['`src/{tokens,gone}/issue.ts`', '1: there is no file src/{tokens,gone}/issue.ts'],
    ['```sh\nnpm run gone\n```', '2: there is no npm script gone'],
    ['```sh\ncd services/search && npm run derive\n```', '2: there is no npm script derive'],
    ['```sh\ncd services/gone\n```', '2: there is no folder services/gone'],
    ['`npx gone`', '1: npx finds no program gone'],
    ['`node upgrade/gone.mjs`', '1: there is no script upgrade/gone.mjs'],
  ])('refuses %j', (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });
});
