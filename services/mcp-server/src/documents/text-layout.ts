/** The maximum length of the text of a document in characters; what follows is left out. */
export const maxTextLength = 2_000_000;

export interface LimitedText {
  text: string;
  /** Whether the end is missing, because the text is longer than `maxTextLength`. */
  isCutOff: boolean;
}

/** The beginning of a text. */
export function limitedText(text: string): LimitedText {
  return { text: text.slice(0, maxTextLength), isCutOff: text.length > maxTextLength };
}

/** Lays out text: one line for each block, with white space collapsed and at most one empty line between blocks. */
export class TextLayout {
  readonly #lines: string[] = [];
  /** The pieces of the line that has begun. A string would be copied for each piece. */
  #line: string[] = [];
  #endsWithSpace = true;
  #length = 0;

  /** Whether the text has its maximum length, so that nothing more is written. */
  get isFull(): boolean {
    return this.#length >= maxTextLength;
  }

  write(text: string): void {
    if (this.isFull) return;
    const collapsed = text.replaceAll(/[\s\u00a0]+/g, ' ');
    const piece = (this.#endsWithSpace ? collapsed.trimStart() : collapsed).slice(0, maxTextLength - this.#length);
    if (piece === '') return;
    this.#line.push(piece);
    this.#length += piece.length;
    this.#endsWithSpace = piece.endsWith(' ');
  }

  /** Ends the line, if it has begun. */
  endLine(): void {
    if (this.#line.length === 0) return;
    const line = this.#line.join('').trimEnd();
    this.#line = [];
    this.#endsWithSpace = true;
    if (line === '') return;
    this.#lines.push(line);
    this.#length++;
  }

  /** Ends the line, and leaves one empty line. */
  endBlock(): void {
    this.endLine();
    if (this.#lines.length === 0 || this.#lines.at(-1) === '') return;
    this.#lines.push('');
    this.#length++;
  }

  toText(): LimitedText {
    this.endLine();
    return { text: this.#lines.join('\n').trim(), isCutOff: this.isFull };
  }
}
