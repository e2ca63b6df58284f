import { valueOfRun } from './run';

/**
 * Returns a generator of numbers from 0 up to 1 (Mulberry32). Its sequence depends only on the seed of the run
 * (TEST_SEED), which a failed test names.
 */
export function seededRandom(): () => number {
  Object.assign(globalThis, { usesTestSeed: true }); // `environment.js` adds the seed to failures.
  let state = Number(valueOfRun('TEST_SEED')) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
