import type { Problem } from './find-problems';

/**
 * Statements that a running service of the previous version does not survive, or that lock a table while they read it.
 * Each has the way to reach the same schema in steps, see infra/docs/how-to.md.
 */
const unsafeStatements: readonly { pattern: RegExp; problem: string }[] = [
  {
    pattern: /\bdrop\s+(?:table|column|schema|view|function|sequence|type)\b/gi,
    problem: 'drops what the previous version may use: drop it in a release after the one that stops using it',
  },
  {
    pattern: /\balter\s+(?:table|sequence|index|function)\s+\S+\s+(?:rename\b|set\s+schema\b)/gi,
    problem: 'renames what the previous version uses: add the new name, write both, and drop the old one later',
  },
  {
    pattern: /\balter\s+column\s+\S+\s+(?:set\s+data\s+)?type\b/gi,
    problem: 'changes the type of a column, which can rewrite the table: add a column, copy in batches, and drop later',
  },
  {
    pattern: /\balter\s+column\s+\S+\s+set\s+not\s+null\b/gi,
    problem: 'reads the whole table under its lock: add a CHECK constraint NOT VALID, and validate it afterwards',
  },
  {
    pattern: /\badd\s+column\s+(?:if\s+not\s+exists\s+)?\S+\s+(?=[^,;`]*\bnot\s+null\b)(?![^,;`]*\bdefault\b)/gi,
    problem: 'refuses the rows that the previous version inserts: allow null, or set a constant default',
  },
  {
    pattern: /\b(?:truncate|lock\s+table|vacuum\s+full|cluster)\s+[a-z_"]/gi,
    problem: 'locks the table against all readers',
  },
];

const tableCreation = /\bcreate\s+(?:temporary\s+|unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?([\w.$"{}]+)/gi;
const constraintAddition =
  /\balter\s+table\s+(?:only\s+)?([\w.$"{}]+)\s+add\s+(?:constraint\s+\S+\s+)?(?:foreign\s+key|check|unique|primary\s+key)\b[^`'"]*/gi;
const indexCreation =
  /\bcreate\s+(?:unique\s+)?index\s+(?!concurrently\b)(?:if\s+not\s+exists\s+)?[\w$"{}]+\s+on\s+(?:only\s+)?([\w.$"{}]+)/gi;

/** Source files of migrations. The name of a migration ends with its time in milliseconds. */
export function hasMigrations(path: string, text: string): boolean {
  return path.endsWith('.ts') && !/\.(?:test|d)\.ts$/.test(path) && migrationClass.test(text);
}

const migrationClass = /\bclass\s+(\w+\d{13})\b/;

/**
 * Finds the statements of migrations that must not run while the previous version serves. What a migration creates
 * itself it may change; `down` is not checked. `accepted` names migrations whose statements were judged one by one.
 */
export function findMigrationProblems(text: string, accepted: ReadonlyMap<string, string>): Problem[] {
  const statements = blank(
    blank(text, /\/\*[\s\S]*?\*\/|(?<![:\w])\/\/.*$/gm),
    /^( *)(?:async )?down\([\s\S]*?^\1\}/gm,
  );
  const created = new Set([...statements.matchAll(tableCreation)].map(([, table]) => table));
  const found = [
    ...unsafeStatements.flatMap(({ pattern, problem }) =>
      [...statements.matchAll(pattern)].map(({ index }) => ({ index, problem })),
    ),
    ...[...statements.matchAll(constraintAddition)]
      .filter(([statement, table]) => !created.has(table) && !/\bnot\s+valid\b|\busing\s+index\b/i.test(statement))
      .map(({ index }) => ({
        index,
        problem: 'reads the whole table under its lock: add the constraint NOT VALID, and validate it afterwards',
      })),
    ...[...statements.matchAll(indexCreation)]
      .filter(([, table]) => !created.has(table))
      .map(({ index }) => ({
        index,
        problem:
          'blocks writes to the table until the index is built: create it CONCURRENTLY, with transaction = false',
      })),
  ];
  return found
    .filter(({ index }) => !accepted.has(migrationAt(statements, index)))
    .sort((one, other) => one.index - other.index)
    .map(({ index, problem }) => ({
      line: statements.slice(0, index).split('\n').length,
      problem: `the migration ${migrationAt(statements, index)} ${problem}`,
    }));
}

/** The migration whose class encloses or precedes a position; the first one of the file for statements before it. */
function migrationAt(text: string, index: number): string {
  const names = [...text.matchAll(new RegExp(migrationClass, 'g'))];
  return (names.filter((match) => match.index < index).at(-1) ?? names[0])?.[1] ?? '';
}

/** Replaces what matches by spaces, so that positions and lines stay. */
function blank(text: string, pattern: RegExp): string {
  return text.replace(pattern, (match) => match.replace(/[^\n]/g, ' '));
}
