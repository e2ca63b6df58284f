// npm test: installs, builds, and runs the checks and all test files that no part of npm run test:full has.
// npm test -- FILE…: runs only these test files. npm test -- --record: also notes how long each file took.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, repository } from '../local/bootstrap.mjs';
import { defaultTestFiles } from './parts.mjs';
import { budget, renderSummary } from './summary.mjs';
import { TestRun, fileOf, runShown } from './test-run.mjs';

const words = process.argv.slice(2);
const files = words.filter((word) => word !== '--record');
process.env.TEST_SMOKE = 'true';
const run = new TestRun();
prepare();
if (files.length > 0) process.exit(runShown(files.map(fileOf)));

await run.command('checking types, rules, format, unused code and documentation', [
  join(repository, 'infra', 'checks', 'lint.mjs'),
]);
await run.files("running the projects' tests", defaultTestFiles());
process.stderr.write(renderSummary(run, { runBudget: budget.run }));
if (words.includes('--record')) record(run.outcomes);
process.exit(run.hasFailed ? 1 : 0);

/** Notes the files that take a second or more, for the order of later runs. */
function record(outcomes) {
  const seconds = outcomes
    .map((outcome) => [outcome.file, Math.round(outcome.seconds)])
    .filter(([, rounded]) => rounded >= 1)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const path = join(repository, 'infra', 'tests', 'seconds.json');
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(seconds), undefined, 2)}\n`);
}
