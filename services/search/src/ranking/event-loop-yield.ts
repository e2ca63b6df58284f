import { setImmediate } from 'node:timers/promises';

const maxSliceMs = 6;

/** Splits long work into slices of 6 ms, so that the event loop handles requests in between. */
export class EventLoopYield {
  #sliceStartedAt = performance.now();

  /** Whether the current slice is over. */
  due(): boolean {
    return performance.now() - this.#sliceStartedAt > maxSliceMs;
  }

  /** Waits for one iteration of the event loop and begins a new slice. */
  async pause(): Promise<void> {
    await setImmediate();
    this.#sliceStartedAt = performance.now();
  }
}
