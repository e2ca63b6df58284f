import { tally } from '@tributary/test-environment';
import type { Options, Report } from './run';

const shownOfEachRule = 3;

/** Renders the result of a run as text. */
export function renderReport(report: Report, { seed }: Pick<Options, 'seed'>): string {
  const { operations, violations } = report;
  const outcomes = tally(operations.map(({ outcome }) => outcome));
  const statuses = tally(operations.map(({ status }) => String(status ?? 'no answer')));
  const lines = [
    `${operations.length} requests in ${report.seconds.toFixed(1)} s: ${show(outcomes)}; by status: ${show(statuses)}`,
    `killed: ${report.crashes.join(', ') || 'nothing'}; ${report.compactions} compactions, ${report.exports} exports`,
    `the history has ${report.versions} versions of ${report.resources} resources`,
    ...[...tally(violations.map(({ rule }) => rule))].flatMap(([rule, times]) => {
      const shown = violations.filter((violation) => violation.rule === rule).slice(0, shownOfEachRule);
      return [`VIOLATED ${times} times: ${rule}`, ...shown.map(({ details }) => `  ${details}`)];
    }),
    violations.length === 0
      ? `no violation; seed ${seed}`
      : `${violations.length} violations; run it again with --seed ${seed}`,
  ];
  return `${lines.join('\n')}\n`;
}

function show(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .toSorted()
    .map(([name, times]) => `${name} ${times}`)
    .join(', ');
}
