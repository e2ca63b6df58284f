const firstPauseMs = 10_000;
const jitter = 0.2;

export interface RetryPauseOptions {
  /** In milliseconds. */
  longestMs: number;
  /** What the health system asked for. */
  retryAfterSeconds?: number | undefined;
  random?: number;
}

/**
 * The pause before a collection goes on that failed in a transient way, in milliseconds: 10 s, 20 s, 40 s … up to `longestMs`, each
 * varied by a fifth. The pause that the health system asked for is kept when it is longer, up to `longestMs`.
 * @param failedAttempts from 1
 */
export function retryPauseMs(
  failedAttempts: number,
  { longestMs, retryAfterSeconds = 0, random = Math.random() }: RetryPauseOptions,
): number {
  const pause = Math.min(longestMs, Math.max(firstPauseMs * 2 ** (failedAttempts - 1), retryAfterSeconds * 1000));
  return Math.round(pause * (1 + jitter * (retryAfterSeconds > 0 ? random : 2 * random - 1)));
}
