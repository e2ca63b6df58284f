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
  /** How many members the objects, and items the arrays, may have in all. By default as many as there are. */
  readonly maxMembers?: number;
}

/**
 * Parses JSON and keeps the text of numbers. A byte order mark is skipped. Texts nested deeper than MAX_DEPTH and
 * objects with a property `__proto__` are refused.
 * @throws JsonError, which has the position and the rule and does not quote the text; TooManyMembersError
 */
export function parseJson(text: string, { duplicates, maxMembers = Infinity }: ParseOptions = {}): JsonValue {
  const refuseDuplicates = duplicates === 'refuse';
  if (!refuseDuplicates && maxMembers === Infinity && isOrdinary(text)) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // The exact parser reports the position. The message of JSON.parse would quote the text.
    }
  }
  return new ExactParser(text, refuseDuplicates, maxMembers).parse();
}

/** Serializes JSON on one line. Every number has its original text. */
export function stringifyJson(value: JsonValue): string {
  return stringifyWithTexts(value);
}
