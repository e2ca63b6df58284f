/** One line on standard error: what is being done, and when it is done how long it took. Warnings stand on lines of their own. */
export class Progress {
  readonly #began = performance.now();
  #isOpen = true;

  /** Writes the beginning of the line. */
  constructor(title: string) {
    process.stderr.write(`· ${title} …`);
  }

  /** Ends the line. */
  done(): void {
    if (this.#isOpen) process.stderr.write(` ${((performance.now() - this.#began) / 1000).toFixed(1)} s\n`);
    this.#isOpen = false;
  }

  warn(message: string): void {
    process.stderr.write(`${this.#isOpen ? '\n' : ''}${message}\n`);
    this.#isOpen = false;
  }
}
