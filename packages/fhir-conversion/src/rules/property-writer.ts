import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { NotConvertible } from '../not-convertible';
import type { ElementWriter } from './element-rule';
import type { Context } from './context';

/** Writes all occurrences of a source property into a draft. `companion` is the property `_name` of a primitive. */
export type PropertyWriter = (
  value: JsonValue | undefined,
  companion: JsonValue | undefined,
  draft: JsonObject,
  context: Context,
) => void;

/**
 * Calls a writer for each occurrence of an element. A single value in place of an array, and an array in place of a
 * single value, are accepted, since stored records are not always valid.
 */
export function eachOccurrence(write: ElementWriter): PropertyWriter {
  return (value, _companion, draft, context) => {
    if (!Array.isArray(value)) return write(value, undefined, draft, context);
    for (const item of value) write(item, undefined, draft, context);
  };
}

/** Calls a writer for each occurrence of a primitive element. Each value can have a companion. */
export function eachPrimitiveOccurrence(path: string, write: ElementWriter): PropertyWriter {
  return (value, companion, draft, context) => {
    if (!Array.isArray(value) && !Array.isArray(companion)) return writeOne(value, companion, draft, context);
    const values = listOf(value);
    const companions = listOf(companion);
    const length = Math.max(values.length, companions.length);
    for (let index = 0; index < length; index++) writeOne(values[index], companions[index], draft, context);
  };

  function writeOne(
    value: JsonValue | undefined,
    beside: JsonValue | undefined,
    draft: JsonObject,
    context: Context,
  ): void {
    const companion = beside ?? undefined;
    if (companion !== undefined && !isJsonObject(companion))
      throw new NotConvertible(`The companion property of ${path} must be an object.`);
    if (companion !== undefined || (value !== undefined && value !== null))
      write(value ?? undefined, companion, draft, context);
  }
}

function listOf(value: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  return Array.isArray(value) ? value : [value];
}
