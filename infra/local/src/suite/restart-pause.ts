const shortestMs = 500;
const longestMs = 30_000;
/** A process that lived for so long has not ended because of its start. */
const steadyAfterMs = 10_000;

/**
 * How long to wait before a process is started again: half a second, and twice as long each time that it ended soon after its start,
 * up to 30 seconds.
 */
export class RestartPause {
  #next = shortestMs;

  /**
   * @param livedMs how long the process ran before it ended
   * @returns milliseconds
   */
  after(livedMs: number): number {
    if (livedMs >= steadyAfterMs) this.#next = shortestMs;
    const pause = this.#next;
    this.#next = Math.min(longestMs, pause * 2);
    return pause;
  }
}
