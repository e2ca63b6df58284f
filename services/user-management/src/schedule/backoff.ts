export interface BackoffOptions {
  firstMs: number;
  /** The delay is multiplied by this with each further attempt. */
  factor: number;
  maxMs: number;
}

/** Exponential backoff without jitter. @param failedAttempts from 1 @returns milliseconds */
export function backoffMs(failedAttempts: number, { firstMs, factor, maxMs }: BackoffOptions): number {
  return Math.min(maxMs, firstMs * factor ** (failedAttempts - 1));
}

/** @returns the value, varied by up to 20 % in both directions @param random from 0 to 1 */
export function withJitter(value: number, random = Math.random()): number {
  return Math.round(value * (0.8 + 0.4 * random));
}
