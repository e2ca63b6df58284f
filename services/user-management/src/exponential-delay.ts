/** An exponential delay. All times are milliseconds. */
export interface ExponentialDelay {
  firstMs: number;
  /** Multiplies the delay with each further failure. */
  factor: number;
  maxMs: number;
}

/**
 * @param failures how often the operation has failed so far, from 1
 * @returns the delay before the next attempt, in milliseconds
 */
export function exponentialDelayMs({ firstMs, factor, maxMs }: ExponentialDelay, failures: number): number {
  return Math.min(maxMs, firstMs * factor ** (failures - 1));
}

/** Varies a delay by up to 20 % in both directions. @param random from 0 to 1 */
export function withJitter(delayMs: number, random = Math.random()): number {
  return Math.round(delayMs * (0.8 + 0.4 * random));
}
