import { operatorPageSize } from '@tributary/contracts';

/** A page of a list, of which one row more was read than it shows. */
export function pageOf<Row extends { cursor: string }>(
  rows: readonly Row[],
): { entry: Omit<Row, 'cursor'>[]; next?: string } {
  const shown = rows.slice(0, operatorPageSize);
  const next = rows.length > shown.length ? shown.at(-1)?.cursor : undefined;
  return { entry: shown.map(({ cursor: _cursor, ...row }) => row), ...(next === undefined ? {} : { next }) };
}
