import { type JsonObject, type JsonValue, isJsonObject } from '@tributary/fhir-json';

/** The element that refers to another resource: `reference` of a Reference, or `url` of an Attachment. */
export type ReferringMember = 'reference' | 'attachment';

/** Returns the replacement of a reference, or undefined to keep the reference. */
export type Replace = (text: string, member: ReferringMember) => string | undefined;

/** The elements whose type is Attachment, in every release. */
const attachments = /^(?:attachment|presentedForm|photo|image|content|document|\w+Attachment)$/;

/**
 * Replaces references within a value, in document order. The value itself is not changed.
 * @returns a copy with the replacements; the same value when nothing was replaced
 */
export function replaceReferences<T extends JsonValue>(value: T, replace: Replace): T {
  return replaceIn(value, replace, '') as T;
}

function replaceIn(value: JsonValue, replace: Replace, name: string): JsonValue {
  if (Array.isArray(value)) return replaceInArray(value, replace, name);
  return isJsonObject(value) ? replaceInObject(value, replace, name) : value;
}

function replaceInArray(items: JsonValue[], replace: Replace, name: string): JsonValue[] {
  let changed: JsonValue[] | undefined;
  for (const [index, item] of items.entries()) {
    const replaced = replaceIn(item, replace, name);
    if (replaced === item) continue;
    changed ??= [...items];
    changed[index] = replaced;
  }
  return changed ?? items;
}

function replaceInObject(object: JsonObject, replace: Replace, name: string): JsonObject {
  let changed: JsonObject | undefined;
  for (const member of Object.keys(object)) {
    const value = object[member];
    const replaced =
      typeof value === 'string'
        ? replaceText(member, value, replace, name)
        : typeof value === 'object'
          ? replaceIn(value, replace, member)
          : value;
    if (replaced === value) continue;
    changed ??= { ...object };
    changed[member] = replaced;
  }
  return changed ?? object;
}

function replaceText(member: string, text: string, replace: Replace, holder: string): string {
  if (member === 'reference') return replace(text, 'reference') ?? text;
  return member === 'url' && attachments.test(holder) ? (replace(text, 'attachment') ?? text) : text;
}
