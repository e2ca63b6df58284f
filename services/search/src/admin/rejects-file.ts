import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';

const bufferSize = 64 * 1024;

/** The file of rejected resources. What was written since `mark` can be taken back when a file is read again. */
export class RejectsFile {
  readonly #file: number;
  #position = 0;
  #marked = 0;
  #buffer = '';

  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  write(rejection: object): void {
    this.#buffer += `${JSON.stringify(rejection)}\n`;
    if (this.#buffer.length >= bufferSize) this.#flush();
  }

  mark(): void {
    this.#flush();
    this.#marked = this.#position;
  }

  takeBack(): void {
    this.#buffer = '';
    this.#position = this.#marked;
    ftruncateSync(this.#file, this.#marked);
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }

  #flush(): void {
    this.#position += writeSync(this.#file, this.#buffer, this.#position);
    this.#buffer = '';
  }
}
