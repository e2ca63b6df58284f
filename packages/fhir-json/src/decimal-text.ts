import { randomBytes } from 'node:crypto';

/**
 * A JSON number whose text has more information than its value: "1.0", "1e-7", "12345678901234567890". The precision of
 * a FHIR decimal is significant (https://hl7.org/fhir/R4/datatypes.html#decimal), so the text is stored and sent
 * unchanged.
 */
export class DecimalText {
  readonly text: string;
  readonly value: number;

  /** @throws TypeError when the text is no JSON number */
  constructor(text: string) {
    if (!NUMBER.test(text)) throw new TypeError('not the text of a JSON number');
    this.text = text;
    this.value = Number(text);
  }

  /**
   * Called by JSON.stringify. Returns the nearest number, or within `stringifyWithTexts` a marked string that is
   * replaced by the text.
   */
  toJSON(): number | string {
    if (!writing) return this.value;
    marked = true;
    return MARK + this.text;
  }
}

/** Serializes a value with JSON.stringify; every DecimalText is written as its text. */
export function stringifyWithTexts(value: unknown): string {
  writing = true;
  marked = false;
  try {
    const json = JSON.stringify(value);
    return marked ? json.replace(MARKED, '$1') : json;
  } finally {
    writing = false;
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

// The mark is random in each process and is never part of the output, so no string of a document can be taken for a
// number.
const MARK = `decimal-${randomBytes(16).toString('hex')}:`;
const MARKED = new RegExp(`"${MARK}([-+.\\deE]+)"`, 'g');

let writing = false;
let marked = false;
