import type { JsonObject, JsonValue } from '@tributary/fhir-json';

/** A property of a draft, the R4 object under construction. */
export interface TargetProperty {
  readonly name: string;
  /**
   * The property `_name`, which has the id and extensions of a primitive: https://hl7.org/fhir/R4/json.html#primitive.
   */
  readonly companionName: string;
  /** True for an element that may occur several times. */
  readonly repeats: boolean;
}

/** The property of this name. */
export function targetProperty(name: string, repeats: boolean): TargetProperty {
  return { name, companionName: `_${name}`, repeats };
}

/**
 * Sets a property to a converted value, its companion or both, or appends them when the property repeats.
 * @returns false, without a change, when a property that does not repeat already has a value
 */
export function setProperty(
  draft: JsonObject,
  property: TargetProperty,
  value: JsonValue | undefined,
  companion?: JsonObject,
): boolean {
  if (property.repeats) {
    append(draft, property, value, companion);
    return true;
  }
  if (draft[property.name] !== undefined || draft[property.companionName] !== undefined) return false;
  if (value !== undefined) draft[property.name] = value;
  if (companion !== undefined) draft[property.companionName] = companion;
  return true;
}

/** Appends an extension to a draft. */
export function addExtension(draft: JsonObject, extension: JsonObject): void {
  append(draft, EXTENSION, extension, undefined);
}

/** Appends a modifier extension to a draft. */
export function addModifierExtension(draft: JsonObject, extension: JsonObject): void {
  append(draft, MODIFIER_EXTENSION, extension, undefined);
}

const EXTENSION = targetProperty('extension', true);
const MODIFIER_EXTENSION = targetProperty('modifierExtension', true);

/** A value and its companion have the same index in their arrays; null is written where one is absent. */
function append(
  draft: JsonObject,
  { name, companionName }: TargetProperty,
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
): void {
  const values = listOf(draft, name);
  const companions = draft[companionName];
  if (companion !== undefined || companions !== undefined) {
    const list = listOf(draft, companionName);
    while (list.length < values.length) list.push(null);
    list.push(companion ?? null);
  }
  values.push(value ?? null);
}

function listOf(draft: JsonObject, name: string): JsonValue[] {
  const known = draft[name];
  if (Array.isArray(known)) return known;
  const made: JsonValue[] = [];
  draft[name] = made;
  return made;
}
