// npm run test:full: everything that npm test leaves out, in parts. npm run test:full -- PART…: these parts alone.
// npm run test:full -- --changed [BASE]: the parts that the changes since BASE (HEAD) need. --list: prints the parts.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { note, prepare, repository } from '../local/bootstrap.mjs';
import { parts, partsForChanges } from './parts.mjs';
import { renderSummary } from './summary.mjs';
import { TestRun } from './test-run.mjs';

const [first, ...rest] = process.argv.slice(2);
if (first === '--list') {
  for (const { name, what } of parts) process.stdout.write(`${name.padEnd(16)} ${what}\n`);
  process.exit(0);
}
const chosen = choose();
// Each run has other random values; TEST_SEED repeats those of an earlier one.
process.env.TEST_SEED ||= String(randomInt(2 ** 31));
note(`TEST_SEED=${process.env.TEST_SEED}`);
prepare();
const run = new TestRun();
for (const { name, files, again = [], command } of chosen)
  await (command ? run.command(name, command) : run.files(name, [...files, ...again]));
process.stderr.write(renderSummary(run));
process.exit(run.hasFailed ? 1 : 0);

function choose() {
  if (first === '--changed') {
    const chosen = partsForChanges(changedPaths(rest[0] ?? 'HEAD'));
    process.stderr.write(`${chosen.map(({ name }) => name).join(' ') || 'no part is concerned'}\n`);
    if (chosen.length === 0) process.exit(0);
    return chosen;
  }
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !parts.some((part) => part.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`unknown: ${unknown.join(', ')}; the parts are ${parts.map(({ name }) => name).join(', ')}\n`);
    process.exit(2);
  }
  return names.length > 0 ? parts.filter(({ name }) => names.includes(name)) : parts;
}

/** The paths that differ from a commit, committed or not. */
function changedPaths(base) {
  return [
    ['diff', '--name-only', base, '--'],
    ['ls-files', '--others', '--exclude-standard'],
  ].flatMap((words) => {
    const { status, stdout, stderr } = spawnSync('git', words, { cwd: repository, encoding: 'utf8' });
    if (status !== 0) {
      process.stderr.write(stderr);
      process.exit(2);
    }
    return stdout.split('\n').filter(Boolean);
  });
}
