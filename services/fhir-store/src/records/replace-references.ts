import { type JsonObject, type JsonValue, isJsonObject } from '@tributary/fhir-json';

/**
 * Puts other texts in place of the references within a value, in the order in which they stand there.
 * @param replace gives the new text, or undefined to leave the reference as it is
 * @returns the same value when nothing was replaced
 */
export function replaceReferences<T extends JsonValue>(value: T, replace: (reference: string) => string | undefined): T {
  if (Array.isArray(value)) return replaceInArray(value, replace) as T;
  return isJsonObject(value) ? (replaceInObject(value, replace) as T) : value;
}

function replaceInArray(items: JsonValue[], replace: (reference: string) => string | undefined): JsonValue[] {
  let changed: JsonValue[] | undefined;
  for (const [place, item] of items.entries()) {
    const replaced = replaceReferences(item, replace);
    if (replaced === item) continue;
    changed ??= [...items];
    changed[place] = replaced;
  }
  return changed ?? items;
}

function replaceInObject(object: JsonObject, replace: (reference: string) => string | undefined): JsonObject {
  let changed: JsonObject | undefined;
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined || value === null || (typeof value !== 'object' && name !== 'reference')) continue;
    const replaced = name === 'reference' && typeof value === 'string' ? (replace(value) ?? value) : replaceReferences(value, replace);
    if (replaced === value) continue;
    changed ??= { ...object };
    changed[name] = replaced;
  }
  return changed ?? object;
}
