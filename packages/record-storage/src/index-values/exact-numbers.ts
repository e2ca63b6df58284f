const view = new DataView(new ArrayBuffer(8));

/**
 * A value of `ranges` as a number. The order is the same and no two values have the same number, so that comparisons of
 * the numbers are exact: the number has the bits of the value, which are read as a double.
 */
export function exactNumber(value: bigint): number {
  view.setBigInt64(0, value < 0n ? -value : value);
  const number = view.getFloat64(0);
  return value < 0n ? -number : number;
}

/** The value of `ranges` that has this number. */
export function valueOfNumber(number: number): bigint {
  view.setFloat64(0, Math.abs(number));
  const value = view.getBigInt64(0);
  return number < 0 ? -value : value;
}
