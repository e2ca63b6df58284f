/**
 * The reason and position at which a text was refused. The message does not quote the text, which can be health data.
 */
export class JsonError extends Error {
  /** Offset in the text in UTF-16 code units. */
  readonly position: number;
  readonly line: number;
  readonly column: number;

  constructor(reason: string, text: string, position: number) {
    const before = text.slice(0, position);
    const line = before.split('\n').length;
    const column = position - (before.lastIndexOf('\n') + 1) + 1;
    super(`invalid JSON: ${reason} at line ${line}, column ${column} (position ${position})`);
    this.name = 'JsonError';
    this.position = position;
    this.line = line;
    this.column = column;
  }
}

/** A text that has more members of objects and items of arrays than are allowed. */
export class TooManyMembersError extends JsonError {
  constructor(
    readonly maxMembers: number,
    text: string,
    position: number,
  ) {
    super(`objects and arrays have more than ${maxMembers} members`, text, position);
    this.name = 'TooManyMembersError';
  }
}
