import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { NotConvertible } from '../not-convertible';
import type { Move } from './change';
import type { Run } from './run';

/** Moves all that a source object has under one property. For a primitive, `companion` is what lies in the property with the underscore. */
export type PropertyMove = (
  value: JsonValue | undefined,
  companion: JsonValue | undefined,
  draft: JsonObject,
  run: Run,
) => void;

/**
 * Applies a move to each occurrence of an element. Generators confuse single values with arrays of one;
 * nothing is lost by taking either for the other.
 */
export function eachOccurrence(move: Move): PropertyMove {
  return (value, _companion, draft, run) => {
    if (!Array.isArray(value)) return move(value, undefined, draft, run);
    for (const item of value) move(item, undefined, draft, run);
  };
}

/** The same for an element of a primitive type, each of whose values can have an id and extensions beside it. */
export function eachPrimitiveOccurrence(path: string, move: Move): PropertyMove {
  return (value, companion, draft, run) => {
    if (!Array.isArray(value) && !Array.isArray(companion)) return moveOne(value, companion, draft, run);
    const values = listOf(value);
    const companions = listOf(companion);
    const length = Math.max(values.length, companions.length);
    for (let index = 0; index < length; index++) moveOne(values[index], companions[index], draft, run);
  };

  function moveOne(value: JsonValue | undefined, beside: JsonValue | undefined, draft: JsonObject, run: Run): void {
    const companion = beside ?? undefined;
    if (companion !== undefined && !isJsonObject(companion))
      throw new NotConvertible(`What lies beside ${path} must be an object.`);
    if (companion !== undefined || (value !== undefined && value !== null))
      move(value ?? undefined, companion, draft, run);
  }
}

function listOf(value: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  return Array.isArray(value) ? value : [value];
}
