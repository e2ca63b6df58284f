import { ExactParser } from './exact-parser';
import { isOrdinary } from './ordinary-text';
import type { JsonValue } from './values';

/** What parseJson does beyond the standard. */
export interface ParseOptions {
  /** A property that occurs twice in one object: the last one wins (as in JSON.parse, the default), or the text is refused. */
  readonly duplicates?: 'last' | 'refuse';
}

/**
 * Parses JSON without losing the text of any number.
 * A byte order mark is skipped. Texts nested deeper than MAX_DEPTH and objects with a property `__proto__` are refused.
 * Throws JsonError, which names the place and the rule but quotes nothing of the text.
 */
export function parseJson(text: string, options: ParseOptions = {}): JsonValue {
  const refuseDuplicates = options.duplicates === 'refuse';
  if (!refuseDuplicates && isOrdinary(text)) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // Invalid: the exact parser finds the place, which JSON.parse tells only by quoting the text.
    }
  }
  return new ExactParser(text, refuseDuplicates).parse();
}
