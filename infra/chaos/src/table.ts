import type { Findings } from './findings';

/** The result of one fault. */
export interface Row {
  fault: string;
  /** Requests of the load, from before the fault until recovery. */
  requests: number;
  /** Requests without a response, or with status 429 or 5xx. */
  errors: number;
  /** Seconds from the end of the fault to the last failed request; Infinity when the suite did not recover in time. */
  recoverySeconds: number;
  findings: Findings;
  /** Causes of the errors, and notes of the fault. */
  notes: readonly string[];
}

const headings = ['fault', 'load', 'errors', 'recovery s', 'lost', 'duplicated', 'falsely complete'];

/** Renders the rows as a plain-text table with notes and findings below each row. */
export function renderTable(rows: readonly Row[]): string {
  const cells = rows.map(cellsOf);
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  const below = (row: Row): string[] =>
    [...row.notes, ...row.findings.all().map(({ kind, what }) => `${kind}: ${what}`)].map((note) => `    ${note}`);
  return [
    line(headings),
    widths.map((width) => '─'.repeat(width)).join('  '),
    ...rows.flatMap((row, index) => [line(cells[index] ?? []), ...below(row)]),
  ].join('\n');
}

/** Whether there are no findings and recovery was within the limit. */
export function isClean({ findings, recoverySeconds }: Row, recoveryLimitSeconds: number): boolean {
  return findings.all().length === 0 && recoverySeconds <= recoveryLimitSeconds;
}

function cellsOf({ fault, requests, errors, recoverySeconds, findings }: Row): string[] {
  const recovery = Number.isFinite(recoverySeconds) ? recoverySeconds.toFixed(1) : 'never';
  return [
    fault,
    String(requests),
    String(errors),
    recovery,
    ...(['lost', 'duplicated', 'falsely complete'] as const).map((kind) => String(findings.count(kind))),
  ];
}
