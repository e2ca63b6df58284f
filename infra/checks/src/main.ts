import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Problem, findProblems } from './find-problems';
import { acceptedMigrations } from './accepted-migrations';
import { findLongComments, hasComments } from './long-comments';
import { findMigrationProblems, hasMigrations } from './migrations';
import { findObjectMaps, hasMaps } from './object-maps';
import { openRepository } from './repository';
import { findLaterImports } from './rooms';
import { findSafeguardProblems, safeguardsPage } from './safeguards';

/**
 * Checks the Markdown files, the comments, the order of folders, the migrations and the tables of the repository;
 * prints the problems, and ends with 1 when there are any.
 */
function main(): void {
  const repository = openRepository(resolve(__dirname, '../../..'));
  const check = (paths: readonly string[], find: (path: string, text: string) => Problem[]): string[] =>
    paths.flatMap((path) =>
      find(path, readFileSync(join(repository.root, path), 'utf8')).map(
        ({ line, problem }) => `${path}:${line}: ${problem}`,
      ),
    );
  const problems = [
    ...check(repository.markdown, (path, text) => findProblems(path, text, repository)),
    ...check([safeguardsPage], (_path, text) => findSafeguardProblems(text)),
    ...check(repository.files.filter(hasComments), (path, text) => [
      ...findLongComments(text),
      ...findLaterImports(path, text),
      ...(hasMigrations(path, text) ? findMigrationProblems(text, acceptedMigrations) : []),
      ...(hasMaps(path) ? findObjectMaps(text) : []),
    ]),
  ];
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

main();
