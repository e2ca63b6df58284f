import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { acceptedMigrations } from './accepted-migrations';
import { findMigrationProblems, hasMigrations } from './migrations';
import { openRepository } from './repository';

const migration = (up: string, down = ''): string => `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Step1800000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(\`${up}\`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(\`${down}\`);
  }
}
`;
const problemsOf = (up: string, down?: string): string[] =>
  findMigrationProblems(migration(up, down), new Map()).map(({ problem }) => problem);

describe('statements that the previous version does not survive', () => {
  test.each([
    ['drops', 'DROP TABLE connection'],
    ['drops', 'alter table connection drop column scope'],
    ['renames', 'ALTER TABLE connection RENAME COLUMN scope TO scopes'],
    ['renames', 'ALTER TABLE connection RENAME TO link'],
    ['changes the type', 'ALTER TABLE connection ALTER COLUMN scope TYPE jsonb USING scope::jsonb'],
    ['reads the whole table', 'ALTER TABLE connection ALTER COLUMN scope SET NOT NULL'],
    ['reads the whole table', 'ALTER TABLE connection ADD CONSTRAINT scope_known CHECK (scope IS NOT NULL)'],
    ['reads the whole table', 'ALTER TABLE connection ADD FOREIGN KEY (grant_id) REFERENCES health_system_grant'],
    ['refuses the rows', 'ALTER TABLE connection ADD COLUMN scope text NOT NULL'],
    ['blocks writes', 'CREATE INDEX connection_scope ON connection (scope)'],
    ['locks the table', 'LOCK TABLE connection IN EXCLUSIVE MODE'],
  ])('are reported: it %s: %s', (problem, statement) => {
    expect(problemsOf(statement)).toEqual([expect.stringContaining(`Step1800000000000 ${problem}`)]);
  });

  test.each([
    'ALTER TABLE connection ADD COLUMN scope text',
    "ALTER TABLE connection ADD COLUMN scope text NOT NULL DEFAULT 'all', ADD COLUMN note text",
    'ALTER TABLE connection ADD CONSTRAINT scope_known CHECK (scope IS NOT NULL) NOT VALID',
    'CREATE INDEX CONCURRENTLY connection_scope ON connection (scope)',
    'CREATE TABLE receipt (id uuid PRIMARY KEY, at timestamptz NOT NULL); CREATE INDEX receipt_at ON receipt (at)',
  ])('are not found in: %s', (statement) => {
    expect(problemsOf(statement)).toEqual([]);
  });

  test('are not looked for in down, nor in comments', () => {
    expect(problemsOf('SELECT 1', 'DROP TABLE connection')).toEqual([]);
    expect(problemsOf('SELECT 1 /* DROP TABLE connection */')).toEqual([]);
  });

  test('are reported with their line', () => {
    expect(findMigrationProblems(migration('DROP TABLE connection'), new Map())).toEqual([
      expect.objectContaining({ line: 5 }),
    ]);
  });

  test('are accepted for the migration that is listed, and for no other of the same file', () => {
    const text = migration('DROP TABLE a') + migration('DROP TABLE b').replaceAll('1800000000000', '1800000000001');
    const accepted = new Map([['Step1800000000000', 'release 2 stopped using it']]);
    expect(findMigrationProblems(text, accepted)).toEqual([
      expect.objectContaining({ problem: expect.stringContaining('Step1800000000001 drops') as string }),
    ]);
  });
});

test('each accepted migration exists and has a statement to accept', () => {
  const repository = openRepository(resolve(__dirname, '../../..'));
  const reported = repository.files
    .map((path) => ({ path, text: path.endsWith('.ts') ? readFileSync(join(repository.root, path), 'utf8') : '' }))
    .filter(({ path, text }) => hasMigrations(path, text))
    .flatMap(({ text }) => findMigrationProblems(text, new Map()))
    .map(({ problem }) => problem.split(' ')[2]);
  expect([...acceptedMigrations.keys()].filter((name) => !reported.includes(name))).toEqual([]);
});
