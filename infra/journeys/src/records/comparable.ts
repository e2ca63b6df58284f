import {
  type JsonObject,
  type JsonValue,
  type Resource,
  isJsonObject,
  parseJson,
  stringifyJson,
} from '@tributary/fhir-json';

/** A resource as text without its id, its meta and the targets of its references, which a collection changes. */
export function comparable(resource: Resource): string {
  const { id: _id, meta: _meta, ...rest } = resource;
  return stringifyJson(
    masked(rest, (reference) => (isOwn(reference) ? `${typeOf(reference)}/*` : reference)) as JsonObject,
  );
}

/** Whether a property is a reference, or the URL of an attachment that is a Binary of the same system. */
function refers(name: string, value: JsonValue | undefined): value is string {
  return typeof value === 'string' && (name === 'reference' || (name === 'url' && value.startsWith('Binary/')));
}

/** All references of a resource in document order. */
export function references(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => (refers(name, inner) ? [inner] : references(inner)));
}

/** Reads the lines of an NDJSON text as resources. */
export function resources(lines: readonly string[]): Resource[] {
  return lines.map((line) => parseJson(line) as Resource);
}

/** Whether a reference has the form `Type/id`. */
export function isOwn(reference: string): boolean {
  return /^(?:https?:\/\/.*\/)?[A-Z][A-Za-z]+\/[A-Za-z0-9.-]+(?:\/_history\/.*)?$/.test(reference);
}

function typeOf(reference: string): string {
  return /([A-Z][A-Za-z]+)\/[A-Za-z0-9.-]+(?:\/_history\/.*)?$/.exec(reference)?.[1] ?? '';
}

function masked(value: JsonValue | undefined, mask: (reference: string) => string): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((inner) => masked(inner, mask) ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, refers(name, inner) ? mask(inner) : masked(inner, mask)]),
  );
}
