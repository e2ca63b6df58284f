const firstPauseMs = 5_000;
const growth = 4;
const longestPauseMs = 6 * 3_600_000;
const jitter = 0.2;

/** How long to wait after the given number of failed attempts: 5 s, 20 s, 80 s … up to 6 h, each varied by a fifth. */
export function pauseAfter(failedAttempts: number, random = Math.random()): number {
  const pause = Math.min(longestPauseMs, firstPauseMs * growth ** (failedAttempts - 1));
  return Math.round(pause * (1 - jitter + 2 * jitter * random));
}
