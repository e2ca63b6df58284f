import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Buffered characters that are written immediately. */
const FLUSH_LENGTH = 4096;
/** The maximum delay of a line, in milliseconds; a killed process loses at most the lines of this time. */
const FLUSH_MS = 100;
/** How long a write waits for a full pipe, in milliseconds; then its lines are dropped. */
const STALL_TIMEOUT_MS = 1000;
const RETRY_PAUSE_MS = 5;

/**
 * Writes log lines in batches, because one system call per line costs a busy service more than a tenth of its time.
 * Lines are dropped when nobody reads the pipe, so that a process whose parent was killed can still end. Written by
 * hand because sonic-boom, pino's own buffer, retries forever then.
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

  /** Writes the buffer; pino calls it after a fatal line. */
  flushSync(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    const until = Date.now() + (this.#isStalled ? 0 : STALL_TIMEOUT_MS);
    for (let written = 0; written < bytes.length;) {
      try {
        written += writeSync(this.fileDescriptor, bytes, written);
        this.#isStalled = false;
      } catch (error) {
        this.#isStalled = Date.now() >= until;
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || this.#isStalled) return;
        Atomics.wait(this.#pause, 0, 0, RETRY_PAUSE_MS);
      }
    }
  }
}
