const updateIntervalMs = { terminal: 100, plain: 5000 } as const;

/** Progress of a command: on a terminal one line that is overwritten, else a new line every five seconds. */
export class ProgressLine {
  #shownAt = performance.now();
  #shown = false;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  /** @param text called when a line is due */
  show(text: () => string): void {
    const now = performance.now();
    if (now - this.#shownAt < updateIntervalMs[this.stream.isTTY ? 'terminal' : 'plain']) return;
    this.#shownAt = now;
    this.#shown = true;
    this.stream.write(this.stream.isTTY ? `\r\u001b[K${text()}` : `${text()}\n`);
  }

  clear(): void {
    if (this.#shown && this.stream.isTTY) this.stream.write('\r\u001b[K');
    this.#shown = false;
  }
}
