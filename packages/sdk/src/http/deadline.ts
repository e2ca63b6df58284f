import { TimeoutError } from './errors.ts';

/** Aborts a request when it takes too long, or when the caller aborts it. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    outer?.throwIfAborted();
    outer?.addEventListener('abort', this.#abort);
    this.extend();
  }

  readonly #abort = (): void => this.#controller.abort(this.#outer?.reason);

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the time. */
  extend(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#controller.abort(new TimeoutError(`no response within ${this.#timeoutMs} ms`)),
      this.#timeoutMs,
    );
  }

  /** Stops the time until `extend`; the caller can still abort. */
  hold(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}
