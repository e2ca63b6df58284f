import { setTimeout as pause } from 'node:timers/promises';

/** Only a condition that never holds reaches this limit, however slow the machine is. */
const limitMs = 300_000;

/**
 * Polls until a condition holds, for what no event announces. Returns the value of the condition, which is truthy.
 * @param what the end of the error message
 * @param everyMs longer for a condition that loads other processes
 * @throws Error when the condition does not hold within 300 seconds
 */
export async function waitUntil<T>(
  condition: () => T | Promise<T>,
  what = String(condition),
  everyMs = 10,
): Promise<Exclude<T, undefined | null | false>> {
  for (const end = performance.now() + limitMs; performance.now() < end; await pause(everyMs)) {
    const value = await condition();
    if (value) return value as Exclude<T, undefined | null | false>;
  }
  throw new Error(`not within ${limitMs / 1000} s: ${what}`);
}
