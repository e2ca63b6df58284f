import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import { NotConvertible } from '../not-convertible';
import { r4ResourceType, resourceTypeOf } from './resource-types';
import { NOTHING_CONTAINED, type ContainedResources } from './run';
import type { TypeConversions } from './type-conversions';

/**
 * Converts what a resource contains, before the resource itself: what may refer to it depends on its type in R4.
 * One that R4 has no type for, or that lacks what R4 requires, becomes a Basic with all that it says in extensions.
 */
export function convertContained(types: TypeConversions, resource: JsonObject): ContainedResources {
  const { contained } = resource;
  const resources = (Array.isArray(contained) ? contained : [contained]).filter(isJsonObject);
  return resources.length === 0
    ? NOTHING_CONTAINED
    : convertAll(
        types,
        resources,
        typesById(resources, (inner) => r4ResourceType(resourceTypeOf(inner, types.source), types.isR4Resource)),
      );
}

/** They may refer to each other, so where one has become a Basic, all are converted again. */
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
  const run = () => ({ release: types.release, contained: { ...NOTHING_CONTAINED, types: expected }, depth: 1 });
  if (typeof inner['id'] === 'string' && expected.get(inner['id']) === 'Basic')
    return types.of(type, 'Basic').convert(inner, run());
  try {
    return types.resource(type).convert(inner, run());
  } catch (error) {
    if (!(error instanceof NotConvertible)) throw error;
    return types.of(type, 'Basic').convert(inner, run());
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
