const view = new DataView(new ArrayBuffer(8));

/** The lowest value of a number: smaller ones are blinded names. Numbers below about -10^289 are all mapped to it. */
const LOWEST = -0x7bff_ffff_ffff_ffffn;
const SIGN_OFF = 0x7fff_ffff_ffff_ffffn;

/** A number as a 64-bit integer of the same order: its own bits, mirrored for the negative ones. */
export function orderedNumber(value: number): bigint {
  view.setFloat64(0, value === 0 ? 0 : value);
  const bits = view.getBigInt64(0);
  if (bits >= 0n) return bits;
  const mirrored = -(bits & SIGN_OFF);
  return mirrored < LOWEST ? LOWEST : mirrored;
}

/** Greater than every shifted FHIR date. */
const END_OF_TIME = 2n ** 60n;

/** A date in epoch milliseconds, shifted, as a 64-bit integer; an infinity stays outside all dates. */
export function orderedDate(value: number, shift: number): bigint {
  if (value === Infinity) return END_OF_TIME;
  if (value === -Infinity) return -END_OF_TIME;
  return BigInt(Math.trunc(value) + shift);
}
