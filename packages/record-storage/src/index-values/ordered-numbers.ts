const view = new DataView(new ArrayBuffer(8));

/**
 * Below this would begin the zone of the names; only numbers under about -10^289 come near, and are taken for equal.
 */
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

/** Beyond every date that FHIR can write, shifted or not. */
const END_OF_TIME = 2n ** 60n;

/** A date in epoch milliseconds, shifted, as a 64-bit integer; an infinity stays outside all dates. */
export function orderedDate(value: number, shift: number): bigint {
  if (value === Infinity) return END_OF_TIME;
  if (value === -Infinity) return -END_OF_TIME;
  return BigInt(Math.trunc(value) + shift);
}
