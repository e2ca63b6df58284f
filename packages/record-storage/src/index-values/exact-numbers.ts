const view = new DataView(new ArrayBuffer(8));

/** A value of `ranges` may have the bits of NaN, the highest ones of a double. Shifted by this, no value has. */
const SHIFT = 2n ** 52n;

/**
 * A value of `ranges` as a number other than NaN. The order is the same and no two values have the same number, so that
 * comparisons of the numbers are exact: the number has the bits of the shifted value, which are read as a double.
 */
export function exactNumber(value: bigint): number {
  const shifted = value - SHIFT;
  view.setBigInt64(0, shifted < 0n ? -shifted : shifted);
  const number = view.getFloat64(0);
  return shifted < 0n ? -number : number;
}

/** The value of `ranges` that has this number. */
export function valueOfNumber(number: number): bigint {
  view.setFloat64(0, Math.abs(number));
  const value = view.getBigInt64(0);
  return (number < 0 ? -value : value) + SHIFT;
}
