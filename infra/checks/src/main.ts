import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findProblems } from './find-problems';
import { openRepository } from './repository';

/** Checks every Markdown file of the repository; prints the problems, and ends with 1 when there are any. */
function main(): void {
  const repository = openRepository(resolve(__dirname, '../../..'));
  const problems = repository.markdown.flatMap((path) => {
    const text = readFileSync(join(repository.root, path), 'utf8');
    return findProblems(path, text, repository).map(({ line, problem }) => `${path}:${line}: ${problem}`);
  });
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

main();
