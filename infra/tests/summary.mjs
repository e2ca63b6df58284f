// The end of npm test and of npm run test:full.
import { readFileSync } from 'node:fs';

const shownSlowest = 10;
const shownLogLines = 40;

/** What a run should take at most, in seconds. The speed of machines varies: a longer run is reported, not failed. */
export const budget = { file: 15, run: 600 };

/**
 * Renders failures, unstable files, the projects, the slowest files, and the totals.
 * @param {import('./test-run.mjs').TestRun} run
 * @param {{ runBudget?: number }} options seconds that the run should take at most
 */
export function renderSummary(run, { runBudget } = {}) {
  const failures = run.outcomes.filter(({ failed }) => failed > 0);
  const lines = [];
  for (const { message } of failures) lines.push('', message.trimEnd());
  for (const { title, log } of run.broken) lines.push('', `${title}: failed. The end of ${log}:`, ...lastLines(log));
  for (const { file, first, second } of run.unstable)
    lines.push('', `UNSTABLE ${file}`, 'failed first:', first.trimEnd(), 'passed alone:', second.trimEnd());
  lines.push('', ...table(projects(run.outcomes)), '');
  if (run.parts.length > 1) lines.push(...table(run.parts.map(partRow), ['part', 'seconds']), '');
  lines.push('The slowest files:', ...slowest(run.outcomes), '');
  lines.push(...overBudget(run, runBudget));
  if (failures.length > 0) lines.push(...failedTests(failures));
  for (const { title, log } of run.broken) lines.push(`Failed: ${title}. Its log: ${log}`);
  for (const { file } of run.unstable) lines.push(`UNSTABLE: ${file} failed, and passed alone. Mend it.`);
  const cpu = run.cpuSeconds === undefined ? '' : `, ${Math.round(run.cpuSeconds)} s of processor time`;
  lines.push(`wall time: ${Math.round(run.seconds)} s${cpu}`);
  const total = (name) => run.outcomes.reduce((sum, outcome) => sum + outcome[name], 0);
  lines.push(`tests: ${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`, '');
  return lines.join('\n');
}

/** A row for each project: its name, the tests that passed, failed and were skipped, and seconds. */
function projects(outcomes) {
  const rows = new Map();
  for (const { project, passed, failed, skipped, seconds } of outcomes) {
    const row = rows.get(project) ?? [0, 0, 0, 0];
    const add = [passed, failed, skipped, seconds];
    rows.set(
      project,
      row.map((value, index) => value + add[index]),
    );
  }
  return [...rows]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([project, [passed, failed, skipped, seconds]]) => [
      project,
      String(passed),
      failed > 0 ? String(failed) : '',
      skipped > 0 ? String(skipped) : '',
      seconds.toFixed(0),
    ]);
}

function partRow({ title, seconds }) {
  return [title, seconds.toFixed(0)];
}

function table(rows, headings = ['project', 'passed', 'failed', 'skipped', 'seconds']) {
  const widths = headings.map((heading, column) => Math.max(heading.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd();
  return [line(headings), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)];
}

function slowest(outcomes) {
  return [...outcomes]
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, shownSlowest)
    .map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`);
}

function overBudget({ outcomes, seconds }, runBudget) {
  const lines = outcomes
    .filter((outcome) => outcome.seconds > budget.file)
    .map((outcome) => `OVER BUDGET: ${outcome.file} took ${outcome.seconds.toFixed(0)} s of ${budget.file} s`);
  if (seconds > runBudget) lines.push(`OVER BUDGET: the run took ${seconds.toFixed(0)} s of ${runBudget} s`);
  return lines;
}

function failedTests(failures) {
  const names = failures.flatMap(({ file, failedTests: tests }) =>
    (tests.length > 0 ? tests : ['(the file could not be run)']).map((name) => `  ${file}: ${name}`),
  );
  const { TEST_SEED: seed } = process.env;
  const again = `  ${seed ? `TEST_SEED=${seed} ` : ''}npm test -- ${failures.map(({ file }) => file).join(' ')}`;
  return ['These tests failed:', ...names, '', 'To run just those files:', again, ''];
}

function lastLines(log) {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-shownLogLines);
}
