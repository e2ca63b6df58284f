import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { NotConvertible } from '../not-convertible';
import { r4ResourceType, resourceTypeOf } from './resource-types';
import { NO_CONTAINED_RESOURCES, type ContainedResources } from './context';
import type { TypeConversions } from './type-conversions';

/**
 * Converts the contained resources of a resource. They are converted before the resource, since the references that are
 * allowed to them depend on their R4 types. A contained resource whose type R4 does not have, or without an element
 * that R4 requires, becomes a Basic with extensions.
 */
export function convertContained(types: TypeConversions, resource: JsonObject): ContainedResources {
  const { contained } = resource;
  const resources = (Array.isArray(contained) ? contained : [contained]).filter(isJsonObject);
  return resources.length === 0
    ? NO_CONTAINED_RESOURCES
    : convertAll(
        types,
        resources,
        typesById(resources, (inner) => r4ResourceType(resourceTypeOf(inner, types.source), types.isR4Resource)),
      );
}

/** Contained resources can refer to each other, so when one has become a Basic, all are converted again. */
function convertAll(
  types: TypeConversions,
  resources: readonly JsonObject[],
  expected: ReadonlyMap<string, string>,
): ContainedResources {
  const converted = new Map<JsonValue, JsonObject>(
    resources.map((inner) => [inner, convertOne(types, inner, expected)]),
  );
  const found = typesById(resources, (inner) => String(converted.get(inner)?.['resourceType']));
  const asExpected = [...found].every(([id, type]) => expected.get(id) === type);
  return asExpected ? { types: found, converted } : convertAll(types, resources, found);
}

function convertOne(types: TypeConversions, inner: JsonObject, expected: ReadonlyMap<string, string>): JsonObject {
  const type = resourceTypeOf(inner, types.source);
  const context = () => ({
    release: types.release,
    contained: { ...NO_CONTAINED_RESOURCES, types: expected },
    depth: 1,
  });
  if (typeof inner['id'] === 'string' && expected.get(inner['id']) === 'Basic')
    return types.of(type, 'Basic').convert(inner, context());
  try {
    return types.resource(type).convert(inner, context());
  } catch (error) {
    if (!(error instanceof NotConvertible)) throw error;
    return types.of(type, 'Basic').convert(inner, context());
  }
}

function typesById(
  resources: readonly JsonObject[],
  typeOf: (resource: JsonObject) => string,
): ReadonlyMap<string, string> {
  return new Map(
    resources.flatMap((inner) => (typeof inner['id'] === 'string' ? [[inner['id'], typeOf(inner)] as const] : [])),
  );
}
