import { setTimeout as pause } from 'node:timers/promises';

/** How often and for how long a failed operation is repeated. All times are milliseconds. */
export interface RetryPolicy {
  /** The pause after the first failure; each further pause is twice as long, give or take half. */
  firstPauseMs: number;
  /** The limit of the pauses before the random part is applied. */
  maxPauseMs: number;
  /** Attempts in total; no limit by default. */
  maxAttempts?: number;
  /** No pause begins that would end later than this after the first attempt; no limit by default. */
  maxElapsedMs?: number;
}

/** An exponential delay. All times are milliseconds. */
export interface ExponentialDelay {
  firstMs: number;
  /** Multiplies the delay with each further failure. */
  factor: number;
  maxMs: number;
}

/**
 * The delay before the next attempt.
 * @param failures how often the operation has failed so far, from 1
 * @returns milliseconds
 */
export function exponentialDelayMs({ firstMs, factor, maxMs }: ExponentialDelay, failures: number): number {
  return Math.min(maxMs, firstMs * factor ** (failures - 1));
}

/**
 * Varies a delay by up to `share` of it in both directions.
 * @param random from 0 to 1
 * @returns milliseconds, an integer
 */
export function withJitter(delayMs: number, share: number, random = Math.random()): number {
  return Math.round(delayMs * (1 - share + 2 * share * random));
}

/**
 * The pause before the next attempt: exponential, with a jitter of 50 %.
 * @param failures how often the operation has failed so far, from 1
 * @returns milliseconds
 */
export function backoffMs({ firstPauseMs, maxPauseMs }: RetryPolicy, failures: number): number {
  return withJitter(exponentialDelayMs({ firstMs: firstPauseMs, factor: 2, maxMs: maxPauseMs }, failures), 0.5);
}

/**
 * Repeats an operation while it fails with retryable errors and the policy allows another attempt.
 * @throws the error of the last attempt, or the reason of the signal when it is aborted during a pause
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  operation: () => Promise<T>,
  { isRetryable, signal }: { isRetryable: (error: unknown) => boolean; signal?: AbortSignal | undefined },
): Promise<T> {
  const { maxAttempts = Infinity, maxElapsedMs = Infinity } = policy;
  const startedAt = performance.now();
  for (let failures = 1; ; failures++) {
    try {
      return await operation();
    } catch (error) {
      if (signal?.aborted || !isRetryable(error) || failures >= maxAttempts) throw error;
      const pauseMs = backoffMs(policy, failures);
      if (performance.now() - startedAt + pauseMs >= maxElapsedMs) throw error;
      await pause(pauseMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
    }
  }
}
