/** A bound of a commit timestamp, in epoch milliseconds. An open end is beyond all of them. */
export function timeOf(value: number): bigint {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : BigInt(Math.sign(value)) * 2n ** 60n;
}
