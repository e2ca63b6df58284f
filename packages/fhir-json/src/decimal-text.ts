import { randomBytes } from 'node:crypto';

/**
 * A JSON number whose text carries more than its value: "1.0", "1e-7", "12345678901234567890".
 * FHIR counts the digits of a decimal as part of its meaning, so the text is what is stored and sent.
 */
export class DecimalText {
  readonly text: string;
  readonly value: number;

  constructor(text: string) {
    if (!NUMBER.test(text)) throw new TypeError('not the text of a JSON number');
    this.text = text;
    this.value = Number(text);
  }

  /** What JSON.stringify writes: the nearest number, or within `writeWithTexts` a mark that becomes the text. */
  toJSON(): number | string {
    if (!writing) return this.value;
    marked = true;
    return MARK + this.text;
  }
}

/** Calls JSON.stringify so that every DecimalText keeps its text. */
export function writeWithTexts(value: unknown, indent?: number): string {
  writing = true;
  marked = false;
  try {
    const json = JSON.stringify(value, null, indent);
    return marked ? json.replace(MARKED, '$1') : json;
  } finally {
    writing = false;
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

// The mark is drawn anew in each process and never leaves it, so that no string of a document can pass for a number.
const MARK = `decimal-${randomBytes(16).toString('hex')}:`;
const MARKED = new RegExp(`"${MARK}([-+.\\deE]+)"`, 'g');

let writing = false;
let marked = false;
