import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { NotConvertible } from '../not-convertible';
import type { Move } from './change';
import type { Run } from './run';

/** Moves all that a source object has under one property. */
export type PropertyMove = (holder: JsonObject, draft: JsonObject, run: Run) => void;

/**
 * Applies a move to each occurrence of an element. Generators confuse single values with arrays of one;
 * nothing is lost by taking either for the other.
 */
export function eachOccurrence(property: string, move: Move): PropertyMove {
  return (holder, draft, run) => {
    const value = holder[property] as JsonValue;
    if (!Array.isArray(value)) return move(value, undefined, draft, run);
    for (const item of value) move(item, undefined, draft, run);
  };
}

/** The same for an element of a primitive type, whose id and extensions lie in the property with the underscore. */
export function eachPrimitiveOccurrence(path: string, property: string, move: Move): PropertyMove {
  const companionName = `_${property}`;
  return (holder, draft, run) => {
    const value = holder[property];
    const companion = holder[companionName];
    if (!Array.isArray(value) && !Array.isArray(companion)) return moveOne(value ?? undefined, companion, draft, run);
    const values = listOf(value);
    const companions = listOf(companion);
    const length = Math.max(values.length, companions.length);
    for (let index = 0; index < length; index++) moveOne(values[index] ?? undefined, companions[index], draft, run);
  };

  function moveOne(value: JsonValue | undefined, companion: JsonValue | undefined, draft: JsonObject, run: Run): void {
    if (companion !== undefined && companion !== null && !isJsonObject(companion)) throw new NotConvertible(`What lies beside ${path} must be an object.`);
    if (value !== undefined || (companion !== undefined && companion !== null)) move(value, companion ?? undefined, draft, run);
  }
}

function listOf(value: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  return Array.isArray(value) ? value : [value];
}
