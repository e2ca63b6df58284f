import { type Release, elementModel } from '@tributary/fhir-definitions';
import { type JsonObject, type JsonValue, type Resource, isJsonObject } from '@tributary/fhir-json';

const always = new Set(['resourceType', 'id', 'meta', 'implicitRules']);
const subsetted = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };

/**
 * What `_elements` leaves of the resources of a type: the elements named, the mandatory ones, and a tag that tells that others are missing.
 * @returns undefined when no element is named for the type: then its resources come whole
 */
export function elementSelection(
  release: Release,
  type: string,
  elements: readonly string[],
): ((resource: Resource) => JsonObject) | undefined {
  const named = elements.map((element) => element.split('.'));
  const wanted = new Set(
    named.flatMap(([first = '', second]) => (second === undefined ? [first] : first === type ? [second] : [])),
  );
  if (wanted.size === 0) return undefined;
  const properties = elementModel(release).type(type)?.properties;
  const isKept = (property: string): boolean => {
    if (always.has(property)) return true;
    // The extension of a primitive element stands beside it under _name.
    const name = property.startsWith('_') ? property.slice(1) : property;
    const element = properties?.get(name)?.element;
    return wanted.has(name) || (element !== undefined && (wanted.has(element.name) || element.min > 0));
  };
  return (resource) => {
    const kept = Object.fromEntries(Object.entries(resource).filter(([property]) => isKept(property)));
    return { ...kept, meta: tagged(resource.meta) };
  };
}

function tagged(meta: JsonValue | undefined): JsonObject {
  const own = isJsonObject(meta) ? meta : {};
  const tags = Array.isArray(own['tag']) ? own['tag'] : [];
  return { ...own, tag: [...tags, subsetted] };
}
