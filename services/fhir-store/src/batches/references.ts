import { isResourceType } from '@tributary/fhir-definitions';
import { type JsonObject, type JsonValue, isJsonObject } from '@tributary/fhir-json';
import { type ResourceKey, kindOf } from '@tributary/record-storage';
import type { CollectionSource } from './collection-source';

/** A reference of a collected resource to another resource of the same source. */
export interface OwnReference extends ResourceKey {
  /** `Type/id` as the source names it. */
  readonly sourceReference: string;
}

const relative = /^([A-Z][A-Za-z]{1,63})\/([^/?#|\s]{1,255})(?:\/_history\/[^/?#|\s]{1,255})?$/;

/**
 * What a reference's text names in the source: relative, or below the source's own address. Everything else is not the source's: fragments, urn:, other
 * servers, conditional references.
 */
export function readOwnReference(source: CollectionSource, text: string): OwnReference | undefined {
  const { fhirBaseUrl, release } = source;
  const local = text.startsWith(fhirBaseUrl) && text[fhirBaseUrl.length] === '/' ? text.slice(fhirBaseUrl.length + 1) : text;
  const [, type, id] = relative.exec(local) ?? [];
  if (type === undefined || id === undefined || !isResourceType(release, type)) return undefined;
  return { kind: kindOf(release, type), id: source.idOf(type, id), sourceReference: `${type}/${id}` };
}

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
