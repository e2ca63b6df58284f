import { stringifyWithTexts } from './decimal-text';
import { ExactParser } from './exact-parser';
import { isOrdinary } from './ordinary-text';
import type { JsonValue } from './values';

/** Options of parseJson. */
export interface ParseOptions {
  /**
   * A property that occurs twice in an object: `last` uses the last value as JSON.parse does (default), `refuse`
   * refuses the text.
   */
  readonly duplicates?: 'last' | 'refuse';
}

/**
 * Parses JSON and keeps the text of numbers. A byte order mark is skipped. Texts nested deeper than MAX_DEPTH and
 * objects with a property `__proto__` are refused.
 * @throws JsonError, which has the position and the rule and does not quote the text
 */
export function parseJson(text: string, options: ParseOptions = {}): JsonValue {
  const refuseDuplicates = options.duplicates === 'refuse';
  if (!refuseDuplicates && isOrdinary(text)) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // The exact parser reports the position. The message of JSON.parse would quote the text.
    }
  }
  return new ExactParser(text, refuseDuplicates).parse();
}

/** Serializes JSON on one line. Every number has its original text. */
export function stringifyJson(value: JsonValue): string {
  return stringifyWithTexts(value);
}
