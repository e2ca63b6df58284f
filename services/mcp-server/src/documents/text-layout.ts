/** The maximum length of the text of a document; what follows is left out. */
const maxLength = 2_000_000;

/** Lays out text: one line for each block, with white space collapsed and at most one empty line between blocks. */
export class TextLayout {
  readonly #lines: string[] = [];
  #line = '';
  #length = 0;

  get isFull(): boolean {
    return this.#length >= maxLength;
  }

  write(text: string): void {
    if (this.isFull) return;
    const collapsed = text.replaceAll(/[\s\u00a0]+/g, ' ');
    this.#line += this.#line === '' || this.#line.endsWith(' ') ? collapsed.trimStart() : collapsed;
  }

  /** Ends the line, if it has begun. */
  endLine(): void {
    const line = this.#line.trimEnd();
    this.#line = '';
    if (line === '') return;
    this.#lines.push(line);
    this.#length += line.length + 1;
  }

  /** Ends the line, and leaves one empty line. */
  endBlock(): void {
    this.endLine();
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('');
  }

  toString(): string {
    this.endLine();
    return this.#lines.join('\n').trim();
  }
}
