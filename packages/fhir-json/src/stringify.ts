import { writeWithTexts } from './decimal-text';
import type { JsonValue } from './values';

/** Writes JSON with every number's own text, on one line unless an indent is given. */
export function stringifyJson(value: JsonValue, indent?: number): string {
  return writeWithTexts(value, indent);
}
