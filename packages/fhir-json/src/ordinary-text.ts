import { MAX_DEPTH } from './exact-parser';

const QUOTE = 34;
const BACKSLASH = 92;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const NINE = 57;

const ESCAPED_UNDERSCORE = /\\u005[fF]/;

/**
 * Whether JSON.parse returns the same result as the exact parser, or both refuse the text. It can return false for such
 * a text, but never true for another. One pass, which skips the content of strings.
 */
export function isOrdinary(text: string): boolean {
  if (text.charCodeAt(0) === 0xfeff || text.includes('__proto__') || ESCAPED_UNDERSCORE.test(text)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code >= ZERO && code <= NINE) {
      at = endOfPlainNumber(text, at);
      if (at === -1) return false;
    } else if (code === 91 || code === 123) {
      depth++;
      if (depth > MAX_DEPTH) return false;
    } else if (code === 93 || code === 125) {
      depth--;
    }
  }
  return true;
}

/** The offset of the quote that ends the string at `start`, or the length of the text when there is none. */
function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
}

/**
 * The offset of the last digit of the number whose first digit is at `start`, or -1 if JavaScript might write the
 * number differently: it has an exponent, 16 digits or more, a fraction that ends in 0, is minus zero, or is so small
 * that JavaScript writes an exponent.
 */
function endOfPlainNumber(text: string, start: number): number {
  let fraction = false;
  let end = start;
  let code = text.charCodeAt(end);
  while ((code >= ZERO && code <= NINE) || code === DOT) {
    if (code === DOT) fraction = true;
    end++;
    code = text.charCodeAt(end);
  }
  if (code === 101 || code === 69 || end - start > 15) return -1;
  if (fraction && text.charCodeAt(end - 1) === ZERO) return -1;
  if (
    text.charCodeAt(start) === ZERO &&
    (fraction ? text.startsWith('0.00000', start) : text.charCodeAt(start - 1) === MINUS)
  )
    return -1;
  return end - 1;
}
