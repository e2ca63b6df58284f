import { exponentialDelayMs, withJitter } from '@tributary/contracts';

/**
 * The delay before a collection that failed for a transient reason is retried: exponential backoff from 10 s to
 * `maxMs`, with a jitter of 20 %. A longer `Retry-After` replaces it, up to `maxMs`; jitter never makes the delay
 * shorter than that.
 * @param failedAttempts from 1; `random`, from 0 to 1, is given by tests
 * @returns milliseconds
 */
export function collectionRetryDelayMs(
  failedAttempts: number,
  {
    maxMs,
    retryAfterSeconds = 0,
    random = Math.random(),
  }: { maxMs: number; retryAfterSeconds?: number | undefined; random?: number },
): number {
  const delay = Math.min(
    maxMs,
    Math.max(exponentialDelayMs({ firstMs: 10_000, factor: 2, maxMs }, failedAttempts), retryAfterSeconds * 1000),
  );
  return withJitter(delay, 0.2, retryAfterSeconds > 0 ? (1 + random) / 2 : random);
}

/** So that collections that started together do not stay together. */
const scheduleJitter = 0.1;
const shortestScheduleMs = 10 * 60_000;

/**
 * The time between the end of a collection and the next: the interval, varied by 10 %. While a type fails, the next
 * collection starts after as long a time as the type has failed already, from 10 min to the interval: 10, 10, 20, 40
 * min and so on.
 * @param failingMs for how long a type has failed; undefined when none has
 * @param random from 0 to 1; given by tests
 * @returns milliseconds
 */
export function nextCollectionDelayMs(
  intervalMs: number,
  failingMs: number | undefined,
  random = Math.random(),
): number {
  const delay = failingMs === undefined ? intervalMs : Math.min(intervalMs, Math.max(failingMs, shortestScheduleMs));
  return withJitter(delay, scheduleJitter, random);
}
