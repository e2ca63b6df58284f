import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenarios } from './catalogue';

const root = join(__dirname, '..', '..', '..', '..');

/** The names in backticks of one column of all tables. */
function namesIn(text: string, column: number): string[] {
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  return rows.flatMap((row) => [...(row.split('|')[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

it('infra/docs/health-system-cases.md names scenarios and tests that exist', () => {
  const text = readFileSync(join(root, 'infra', 'docs', 'health-system-cases.md'), 'utf8');
  const known = new Set(scenarios.map(({ name }) => name));
  const named = namesIn(text, 3);
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  const files = [...text.matchAll(/`((?:services|packages)\/[^`]+\.test\.ts)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
