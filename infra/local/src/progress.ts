/** A line of progress on standard error: a title, and the duration when it is done. Warnings have separate lines. */
export class Progress {
  readonly #began = performance.now();
  #isOpen = true;

  /** Prints the title. */
  constructor(title: string) {
    process.stderr.write(`· ${title} …`);
  }

  /** Ends the line. */
  done(): void {
    if (this.#isOpen) process.stderr.write(` ${((performance.now() - this.#began) / 1000).toFixed(1)} s\n`);
    this.#isOpen = false;
  }

  /** Ends the line after a failure, whose message follows. */
  fail(): void {
    if (this.#isOpen) process.stderr.write(' failed\n');
    this.#isOpen = false;
  }

  warn(message: string): void {
    process.stderr.write(`${this.#isOpen ? '\n' : ''}${message}\n`);
    this.#isOpen = false;
  }
}
