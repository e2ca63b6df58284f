import { type Release, elementModel } from '@tributary/fhir-definitions';
import { type JsonObject, type JsonValue, type Resource, isJsonObject } from '@tributary/fhir-json';

const alwaysKept = new Set(['resourceType', 'id', 'meta', 'implicitRules']);
const subsetted = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };

/**
 * The elements that `_elements` names for a type: names without a type (`status`) and those with it
 * (`Observation.status`).
 */
export function elementNames(type: string, elements: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const element of elements) {
    const [first = '', second] = element.split('.');
    if (second === undefined || /^[a-z]/.test(first)) names.add(first);
    else if (first === type) names.add(second);
  }
  return names;
}

/**
 * A part of a resource: the named and the mandatory elements, and the tag SUBSETTED, so that no client stores the part
 * as the whole (https://hl7.org/fhir/R4/search.html#elements).
 * @param names of elements or of properties: `value` names all types of `value[x]`, `valueString` one
 */
export function keepElements(release: Release, resource: Resource, names: ReadonlySet<string>): JsonObject {
  const properties = elementModel(release).type(resource.resourceType)?.properties;
  const kept: JsonObject = {};
  for (const [property, value] of Object.entries(resource)) {
    // The extensions of a primitive element are in a property of their own: _birthDate.
    const name = property.startsWith('_') ? property.slice(1) : property;
    const element = properties?.get(name)?.element;
    const isKept =
      alwaysKept.has(property) ||
      names.has(name) ||
      (element !== undefined && (names.has(element.name) || element.min > 0));
    if (isKept) kept[property] = value;
  }
  return markSubsetted(kept);
}

/** The same resource with the tag SUBSETTED. */
export function markSubsetted(resource: JsonObject): JsonObject {
  const meta: JsonObject = isJsonObject(resource['meta']) ? resource['meta'] : {};
  const tags: JsonValue[] = Array.isArray(meta['tag']) ? meta['tag'] : [];
  return { ...resource, meta: { ...meta, tag: [...tags, subsetted] } };
}
