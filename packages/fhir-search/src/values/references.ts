import { isJsonObject, parseReference, type JsonValue, type RestfulReference } from '@tributary/fhir-json';

/** A reference without its version: `Type/id` or a URL. Undefined for a contained resource (`#x`). */
export function normalReference(reference: string): string | undefined {
  if (reference === '' || reference.startsWith('#')) return undefined;
  const version = reference.indexOf('/_history/');
  return version > 0 ? reference.slice(0, version) : reference;
}

/** The resource type of a relative or absolute reference. Undefined for a reference without a type. */
export function referencedType(reference: string): string | undefined {
  const parsed = parseReference(reference);
  return parsed && namesResource(parsed) ? parsed.type : undefined;
}

/** Whether a reference has the form `Type/id`, with or without a version. */
export function isRelativeReference(reference: string): boolean {
  const parsed = parseReference(reference);
  return parsed !== undefined && parsed.base === '' && namesResource(parsed);
}

/** Whether a reference has an id and names a resource and not a part of it. */
function namesResource({ id, fragment }: RestfulReference): boolean {
  return id !== undefined && fragment === undefined;
}

/** The references that match a value of a reference parameter: one, or two for a canonical URL with a version. */
export function referenceTexts(type: string, value: JsonValue): string[] {
  if (typeof value === 'string') return type === 'canonical' ? canonicalTexts(value) : [value];
  if (!isJsonObject(value)) return [];
  if (type === 'Resource') {
    const { resourceType, id } = value;
    return typeof resourceType === 'string' && typeof id === 'string' ? [`${resourceType}/${id}`] : [];
  }
  const reference = value['reference'];
  const normal = typeof reference === 'string' ? normalReference(reference) : undefined;
  return normal === undefined ? [] : [normal];
}

/** The same, but a reference to a version keeps it. */
export function versionedReferenceTexts(type: string, value: JsonValue): string[] {
  const reference = isJsonObject(value) ? value['reference'] : undefined;
  return typeof reference === 'string' && parseReference(reference)?.version !== undefined
    ? [reference]
    : referenceTexts(type, value);
}

/** A canonical URL with and without its version. */
export function canonicalTexts(url: string): string[] {
  const bar = url.indexOf('|');
  return bar > 0 ? [url, url.slice(0, bar)] : [url];
}

/** Whether a value can be a reference to the type, by `Reference.type` or by the text of the reference. */
export function mayReferTo(type: string, value: JsonValue, texts: readonly string[]): boolean {
  if (isJsonObject(value) && typeof value['type'] === 'string') return value['type'] === type;
  return texts.some((reference) => referencedType(reference) === type);
}
