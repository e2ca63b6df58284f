import type { JsonObject, JsonValue } from '@tributary/fhir-json';

/** The place of an element's value in a draft, which is an R4 object still being made. */
export interface Slot {
  readonly name: string;
  /** The property beside it that holds the id and extensions of a primitive value. */
  readonly companionName: string;
  /** True for an element that may occur several times. */
  readonly repeats: boolean;
}

export function slotOf(name: string, repeats: boolean): Slot {
  return { name, companionName: `_${name}`, repeats };
}

/** Puts a converted value, a companion or both into their place. False, and nothing done, where a single place is taken already. */
export function place(draft: JsonObject, slot: Slot, value: JsonValue | undefined, companion?: JsonObject): boolean {
  if (slot.repeats) {
    append(draft, slot, value, companion);
    return true;
  }
  if (draft[slot.name] !== undefined || draft[slot.companionName] !== undefined) return false;
  if (value !== undefined) draft[slot.name] = value;
  if (companion !== undefined) draft[slot.companionName] = companion;
  return true;
}

/** Adds an extension to a draft. */
export function addExtension(draft: JsonObject, extension: JsonObject): void {
  append(draft, EXTENSION, extension, undefined);
}

export function addModifierExtension(draft: JsonObject, extension: JsonObject): void {
  append(draft, MODIFIER_EXTENSION, extension, undefined);
}

const EXTENSION = slotOf('extension', true);
const MODIFIER_EXTENSION = slotOf('modifierExtension', true);

/** The arrays of a draft are its own, so they may grow. Values and companions stand at the same index, with null where there is none. */
function append(
  draft: JsonObject,
  { name, companionName }: Slot,
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
