import type { Problem } from './find-problems';

/** The page that maps the controls of the HIPAA Security Rule (45 CFR 164) to mechanisms and tests. */
export const safeguardsPage = 'infra/docs/safeguards.md';

/** The controls that software can contribute to. */
const controls = [
  '164.312(a)(1)',
  '164.312(a)(2)(i)',
  '164.312(a)(2)(ii)',
  '164.312(a)(2)(iii)',
  '164.312(a)(2)(iv)',
  '164.312(b)',
  '164.312(c)(1)',
  '164.312(c)(2)',
  '164.312(d)',
  '164.312(e)(1)',
  '164.312(e)(2)(i)',
  '164.312(e)(2)(ii)',
  '164.308(a)(1)(ii)(D)',
  '164.308(a)(3)',
  '164.308(a)(4)',
  '164.308(a)(5)(ii)(B)',
  '164.308(a)(5)(ii)(C)',
  '164.308(a)(5)(ii)(D)',
  '164.308(a)(6)',
  '164.308(a)(7)',
  '164.310(d)(2)(i)',
  '164.310(d)(2)(ii)',
  '164.310(d)(2)(iv)',
];

const isProof = /^npm (?:run|start|test)\b|\.test\.(?:ts|mjs)$/;

/**
 * Finds controls without a row, and rows that name no code, or neither a test nor a command. `findProblems` finds names
 * of files and commands that do not exist.
 */
export function findSafeguardProblems(text: string): Problem[] {
  const rows = text.split('\n').flatMap((content, index) => {
    const cells = content.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const control = /^164\.\d+\S*/.exec(cells[1] ?? '')?.[0];
    return control === undefined ? [] : [{ line: index + 1, control, cells }];
  });
  const problems = rows.flatMap(({ line, control, cells: [, , mechanism = '', code = '', proof = ''] }) => [
    ...(controls.includes(control) ? [] : [{ line, problem: `${control} is no known control` }]),
    ...(mechanism === '' ? [{ line, problem: `${control} has no mechanism` }] : []),
    ...(namesOf(code).length === 0 ? [{ line, problem: `${control} names no code` }] : []),
    ...(namesOf(proof).some((name) => isProof.test(name))
      ? []
      : [{ line, problem: `${control} names neither a test nor a command` }]),
  ]);
  const missing = controls.filter((control) => !rows.some((row) => row.control === control));
  return [...problems, ...missing.map((control) => ({ line: 1, problem: `${control} has no row` }))];
}

/** The code spans of a cell. */
function namesOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}
