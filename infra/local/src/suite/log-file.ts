import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/** The size of one file in bytes, and the number of older files, which are named `.1`, `.2`, … */
export interface LogLimits {
  readonly maxBytes: number;
  readonly keptFiles: number;
}

const defaultLimits: LogLimits = { maxBytes: 20_000_000, keptFiles: 2 };

/**
 * The log of one process of the suite, rotated by size. Output that cannot be written, such as on a full disk, is
 * dropped, so that the service continues.
 */
export class LogFile {
  #descriptor: number | undefined;
  #bytes = 0;
  #droppedBytes = 0;

  constructor(
    readonly path: string,
    private readonly limits: LogLimits = defaultLimits,
  ) {}

  append(text: Buffer): void {
    try {
      this.#makeRoom(text.length);
      if (this.#droppedBytes > 0)
        this.#write(Buffer.from(`(${this.#droppedBytes} bytes of this log could not be written)\n`));
      this.#droppedBytes = 0;
      this.#write(text);
    } catch {
      this.#droppedBytes += text.length;
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #makeRoom(length: number): void {
    const descriptor = this.#open();
    if (this.#bytes === 0 || this.#bytes + length <= this.limits.maxBytes) return;
    closeSync(descriptor);
    this.#descriptor = undefined;
    for (let age = this.limits.keptFiles; age > 0; age--)
      renameIfThere(age === 1 ? this.path : `${this.path}.${age - 1}`, `${this.path}.${age}`);
    this.#open();
  }

  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor;
    const descriptor = openSync(this.path, 'a', 0o600);
    this.#descriptor = descriptor;
    this.#bytes = fstatSync(descriptor).size;
    return descriptor;
  }

  #write(text: Buffer): void {
    const descriptor = this.#open();
    for (let written = 0; written < text.length;) {
      const bytes = writeSync(descriptor, text, written);
      written += bytes;
      this.#bytes += bytes;
    }
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
