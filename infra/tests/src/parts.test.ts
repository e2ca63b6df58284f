import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { evaluate } from '../test/evaluate';

const repository = join(__dirname, '..', '..', '..');
const parts = evaluate("(await import('./parts.mjs')).parts") as {
  name: string;
  files?: string[];
  command?: [string];
}[];

const partsFor = (...paths: string[]): unknown =>
  evaluate(`(await import('./parts.mjs')).partsForChanges(${JSON.stringify(paths)}).map(({ name }) => name)`);

it.each(parts)('$name names files that exist', ({ files = [], command }) => {
  const named = [...files, ...(command ?? []).slice(0, 1)];
  expect(named.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
});

it('runs each test file in one command', () => {
  const inParts = parts.flatMap(({ files = [] }) => files);
  const byDefault = evaluate("(await import('./parts.mjs')).defaultTestFiles()") as string[];
  expect(byDefault).toContain('infra/tests/src/parts.test.ts');
  expect([...inParts, ...byDefault].filter((file, index, all) => all.indexOf(file) !== index)).toEqual([]);
});

it.each([
  ['infra/docker/Dockerfile', 'containers'],
  ['docker-compose.yml', 'containers'],
  ['services/auth/src/database/create-schema-migration.ts', 'postgres-15'],
  ['packages/service-kit/src/transport/tls-identity.ts', 'tls'],
  ['infra/gateway/haproxy.cfg', 'tls'],
  ['services/ingestion-worker/src/checkpoints/checkpoints.ts', 'collections'],
  ['services/user-management/src/connect/pages/error-page.ts', 'browser'],
  ['services/user-management/src/users/user-routes.ts', 'isolation'],
])('a change of %s needs the part %s', (path, part) => {
  expect(partsFor(path)).toContain(part);
});

it('a change of a text needs no part', () => {
  expect(partsFor('infra/tests/README.md')).toEqual([]);
});
