const logLines = 40;

/**
 * Renders the end of `npm test`: the messages of failures, a table of the projects, the failed tests and the command
 * that runs only those.
 * @param summaries the result of each project: {project, passed, failed, skipped, seconds, failures: [{file, tests,
 * message}]}
 * @param brokenParts parts that ended with an error: {title, path of the log}
 * @param readFile reads a log
 */
export function renderSummary(summaries, brokenParts, readFile) {
  const failures = summaries.flatMap((one) => one.failures);
  const lines = [];
  for (const { message } of failures) lines.push('', message.trimEnd());
  if (failures.length === 0)
    for (const { title, path } of brokenParts)
      lines.push('', `${title}: failed. The end of ${path}:`, ...lastLines(readFile(path, 'utf8')));
  lines.push('', ...table(summaries), '');
  const total = (name) => summaries.reduce((sum, one) => sum + one[name], 0);
  if (failures.length > 0) {
    lines.push('These tests failed:');
    for (const { file, tests } of failures)
      lines.push(...(tests.length > 0 ? tests : ['(the file could not be run)']).map((name) => `  ${file}: ${name}`));
    lines.push('', 'To run just those files:', `  npm test -- ${failures.map(({ file }) => file).join(' ')}`, '');
  }
  for (const { title, path } of brokenParts) lines.push(`Failed: ${title}. Its log: ${path}`);
  lines.push(`tests: ${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`, '');
  return lines.join('\n');
}

function table(summaries) {
  const rows = summaries.map(({ project, passed, failed, skipped, seconds }) => [
    project,
    String(passed),
    failed > 0 ? String(failed) : '',
    skipped > 0 ? String(skipped) : '',
    seconds.toFixed(0),
  ]);
  const headings = ['project', 'passed', 'failed', 'skipped', 'seconds'];
  const widths = headings.map((heading, column) => Math.max(heading.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd();
  return [line(headings), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)];
}

function lastLines(text) {
  return text.trimEnd().split('\n').slice(-logLines);
}
