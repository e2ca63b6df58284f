const shortestMs = 500;
const longestMs = 30_000;
/** After this time the end of a process does not count as a failed start. */
const steadyAfterMs = 10_000;

/**
 * The delay before a restart: half a second, doubled each time that the process ended soon after its start,
 * up to 30 seconds.
 */
export class RestartPause {
  #next = shortestMs;

  /**
   * @param livedMs how long the process ran before it ended
   * @returns the delay in milliseconds
   */
  after(livedMs: number): number {
    if (livedMs >= steadyAfterMs) this.#next = shortestMs;
    const pause = this.#next;
    this.#next = Math.min(longestMs, pause * 2);
    return pause;
  }
}
