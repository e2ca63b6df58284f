import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { scenarios } from './catalogue';

const root = join(__dirname, '..', '..', '..', '..');

const document = readFileSync(join(root, 'infra', 'docs', 'health-system-cases.md'), 'utf8');
const scenarioNames = new Set(scenarios.map(({ name }) => name));

/** The columns of each row of all tables. */
const rows = document
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((column) => column.trim()));

const quoted = (column = ''): string[] => [...column.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** The tests that the document names by one word: the files with the scenarios that they play. */
const playedBy: Record<string, string[]> = {
  collect: readdirSync(join(root, 'services/ingestion-worker/test/scenarios')).map(
    (name) => `services/ingestion-worker/test/scenarios/${name}`,
  ),
  connect: ['services/user-management/src/connect/scenarios.test.ts'],
  refresh: ['services/user-management/src/grants/refresh-scenarios.test.ts'],
};

/** The scenarios that are named in these files, alone, joined by `+`, or in the title of a test. */
function scenariosIn(files: string[]): Set<string> {
  const source = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const texts = [...source.matchAll(/['`]([^'`\n]+)['`]/g)].map(([, text = '']) => text);
  return new Set(texts.flatMap((text) => text.split(/[+ ]/)).filter((word) => scenarioNames.has(word)));
}

it('infra/docs/health-system-cases.md names scenarios and tests that exist', () => {
  const named = rows.flatMap((row) => quoted(row[3]));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((name) => !scenarioNames.has(name))).toEqual([]);
  const files = [...document.matchAll(/`((?:services|packages)\/[^`]+\.test\.ts)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

it.each(Object.keys(playedBy))(
  'infra/docs/health-system-cases.md says "%s" of scenarios that this test plays',
  (test) => {
    const played = scenariosIn(playedBy[test] ?? []);
    const claimed = rows
      .filter((row) => (row[4] ?? '').split(/[,;] */).includes(test))
      .flatMap((row) => quoted(row[3]));
    expect(claimed.length).toBeGreaterThan(3);
    expect(claimed.filter((name) => !played.has(name))).toEqual([]);
  },
);
