import { isJsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';

/** The contained resources of a resource that have a type. */
export function containedResources({ contained }: Resource): Resource[] {
  if (!Array.isArray(contained)) return [];
  return contained.filter((each): each is Resource => isJsonObject(each) && typeof each['resourceType'] === 'string');
}

/** The id of the contained resource that a Reference (`#id`) refers to. */
export function containedId(value: JsonValue): string | undefined {
  const reference = isJsonObject(value) ? value['reference'] : undefined;
  return typeof reference === 'string' && reference.length > 1 && reference.startsWith('#')
    ? reference.slice(1)
    : undefined;
}
