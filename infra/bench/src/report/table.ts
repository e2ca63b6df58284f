import { type Figure, type Goal, ofBare, reachesGoal } from './figure';

const headings = ['', 'Tributary', 'bare', 'of bare', 'of empty', 'CPU ms each', 'bare', 'goal', ''];

/** Renders the figures as a plain-text table with the notes below their rows. */
export function renderTable(figures: readonly Figure[]): string {
  const rows = figures.map(cellsOf);
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 || column === headings.length - 1
          ? cell.padEnd(widths[column] ?? 0)
          : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const rule = widths
    .map((width) => '─'.repeat(width))
    .join('  ')
    .trimEnd();
  return [
    line(headings),
    rule,
    ...figures.flatMap((figure, index) => [line(rows[index] ?? []), ...(figure.note ? [`    ${figure.note}`] : [])]),
  ].join('\n');
}

function cellsOf(figure: Figure): string[] {
  const ratio = ofBare(figure);
  const reached = reachesGoal(figure);
  return [
    figure.work,
    withUnit(figure.value, figure.unit),
    figure.bare === undefined ? '–' : withUnit(figure.bare, figure.unit),
    ratioText(ratio),
    ratioText(figure.ofEmpty),
    figure.processorMs === undefined ? '–' : figure.processorMs.toFixed(3),
    figure.bareProcessorMs === undefined ? '–' : figure.bareProcessorMs.toFixed(3),
    figure.goal ? goalText(figure.goal, figure.unit) : '–',
    reached === undefined ? '' : reached ? 'reached' : 'missed',
  ];
}

function ratioText(ratio: number | undefined): string {
  return ratio === undefined ? '–' : ratio.toFixed(ratio < 0.1 ? 3 : 2);
}

function goalText({ min, max, minOfBare, maxOfBare, minOfEmpty }: Goal, unit: Figure['unit']): string {
  const parts = [
    min === undefined ? '' : `≥ ${withUnit(min, unit)}`,
    max === undefined ? '' : `≤ ${withUnit(max, unit)}`,
    minOfBare === undefined ? '' : `≥ ${minOfBare} of bare`,
    maxOfBare === undefined ? '' : `≤ ${maxOfBare} of bare`,
    minOfEmpty === undefined ? '' : `≥ ${minOfEmpty} of empty`,
  ];
  return parts.filter(Boolean).join(', ');
}

function withUnit(value: number, unit: Figure['unit']): string {
  return `${grouped(value)}${unit.startsWith('/') || unit.startsWith('-') ? '' : ' '}${unit}`;
}

/** Formats a number with at least three digits: 1234.5 as 1,235 and 12.34 as 12.3. */
export function grouped(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = value.toFixed(digits).replace(/\.0+$/, '');
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, (_, __, offset: number) =>
    text.includes('.') && offset > text.indexOf('.') ? '' : ',',
  );
}
