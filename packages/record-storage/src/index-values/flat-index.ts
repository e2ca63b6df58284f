import { bigintArray, integerArray } from '../postgres/binary-arrays';
import type { BlindedValues } from './blinding';

/**
 * The search values of many rows as parameters of one statement: all terms, the first and the last index of each row
 * among them, and the same three for the ranges.
 */
export function flatIndexParameters(rows: readonly BlindedValues[]): Buffer[] {
  return [...flatParameters(rows.map(({ terms }) => terms)), ...flatParameters(rows.map(({ ranges }) => ranges))];
}

function flatParameters(rows: readonly (readonly bigint[])[]): Buffer[] {
  let end = 0;
  const first = rows.map(() => 0);
  const last = rows.map(({ length }, i) => {
    first[i] = end + 1;
    return (end += length);
  });
  return [bigintArray(rows.flat()), integerArray(first), integerArray(last)];
}
