import { Random } from './random';
import { valueOfRun } from './run';

/**
 * Returns a generator of numbers from 0 up to 1. Its sequence depends only on the seed of the run (TEST_SEED), which a
 * failed test names.
 */
export function seededRandom(): () => number {
  Object.assign(globalThis, { usesTestSeed: true }); // `environment.js` adds the seed to failures.
  const random = new Random(Number(valueOfRun('TEST_SEED')));
  return () => random.next();
}
