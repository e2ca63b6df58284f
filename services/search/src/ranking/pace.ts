import { setImmediate } from 'node:timers/promises';

const sliceMs = 6;

/** Lets a long piece of work give way to requests: it pauses for one turn of the event loop whenever it has run for 6 ms. */
export class Pace {
  #sliceBegan = performance.now();

  /** To be asked often; true when a pause is due. */
  due(): boolean {
    return performance.now() - this.#sliceBegan > sliceMs;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.#sliceBegan = performance.now();
  }
}
