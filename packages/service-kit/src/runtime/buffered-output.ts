import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Text that is written at once, at the latest. */
const FLUSH_LENGTH = 4096;
/** A line is seen at the latest after so long; a process that is killed takes no more of them with it. */
const FLUSH_MS = 100;
/** A reader that takes nothing for so long loses lines: nobody waits for a log. */
const PATIENCE_MS = 1000;
const PAUSE_MS = 5;

/**
 * Writes lines together: a system call for each would cost a busy service more than a tenth of its time. Where nobody reads
 * any more they are dropped, so that a process whose parent was killed still ends. (sonic-boom, which pino brings along,
 * tries for ever then.)
 */
export class BufferedOutput implements DestinationStream {
  #text = '';
  #timer: NodeJS.Timeout | undefined;
  #isStalled = false;
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));

  constructor(private readonly fileDescriptor: number) {}

  write(line: string): void {
    this.#text += line;
    if (this.#text.length >= FLUSH_LENGTH) this.flushSync();
    else this.#timer ??= setTimeout(() => this.flushSync(), FLUSH_MS).unref();
  }

  /** Writes what waits; pino calls it after a fatal line. */
  flushSync(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    const until = Date.now() + (this.#isStalled ? 0 : PATIENCE_MS);
    for (let at = 0; at < bytes.length;) {
      try {
        at += writeSync(this.fileDescriptor, bytes, at);
        this.#isStalled = false;
      } catch (error) {
        this.#isStalled = Date.now() >= until;
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || this.#isStalled) return;
        Atomics.wait(this.#pause, 0, 0, PAUSE_MS);
      }
    }
  }
}
