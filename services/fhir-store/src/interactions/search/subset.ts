import { type Release, elementModel } from '@tributary/fhir-definitions';
import { type JsonObject, type JsonValue, type Resource, isJsonObject, stringifyJson } from '@tributary/fhir-json';
import { type ResultParameters } from '@tributary/fhir-search';
import { summaryElements } from './summary-elements';

/** The text of a part of a resource, marked as such; undefined when whole resources are asked for. */
export type Subset = (resource: Resource) => string;

/** What `_summary` and `_elements` leave of a resource. */
export function subsetOf(
  release: Release,
  { summary, elements }: Pick<ResultParameters, 'summary' | 'elements'>,
): Subset | undefined {
  if (elements && elements.length > 0) return (resource) => keep(resource, wantedElements(release, resource, elements));
  switch (summary) {
    case 'true':
      return (resource) =>
        keep(
          resource,
          (name) =>
            summaryElements(release, resource.resourceType).has(name) ||
            isMandatory(release, resource.resourceType, name),
        );
    case 'text':
      return (resource) =>
        keep(resource, (name) => name === 'text' || isMandatory(release, resource.resourceType, name));
    case 'data':
      return (resource) => keep(resource, (name) => name !== 'text');
    default:
      return undefined;
  }
}

/** `_elements` names elements, of one type when a type stands before the name (`Patient.name`). */
function wantedElements(
  release: Release,
  { resourceType }: Resource,
  elements: readonly string[],
): (name: string) => boolean {
  const wanted = new Set<string>();
  for (const element of elements) {
    const [first = '', second] = element.split('.');
    if (second === undefined || /^[a-z]/.test(first)) wanted.add(first);
    else if (first === resourceType) wanted.add(second);
  }
  const model = elementModel(release).type(resourceType);
  return (name) => {
    const element = model?.properties.get(name)?.element;
    return (
      wanted.has(name) ||
      (element !== undefined && wanted.has(element.name)) ||
      isMandatory(release, resourceType, name)
    );
  };
}

function isMandatory(release: Release, type: string, property: string): boolean {
  return (elementModel(release).type(type)?.properties.get(property)?.element.min ?? 0) > 0;
}

const always = new Set(['resourceType', 'id', 'meta', 'implicitRules']);

function keep(resource: Resource, wanted: (name: string) => boolean): string {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(resource)) {
    // The extension of a primitive element stands beside it under _name.
    if (always.has(name) || wanted(name.startsWith('_') ? name.slice(1) : name)) kept[name] = value;
  }
  return stringifyJson({ ...kept, meta: subsetted(resource.meta) });
}

/** Marks that elements are missing, so that nobody stores the rest as the whole. */
function subsetted(meta: JsonValue | undefined): JsonObject {
  const own = isJsonObject(meta) ? meta : {};
  const tags = Array.isArray(own['tag']) ? own['tag'] : [];
  return {
    ...own,
    tag: [...tags, { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }],
  };
}
