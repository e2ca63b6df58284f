import type { ElementModel } from '@tributary/fhir-definitions';
import type { JsonObject } from '@tributary/fhir-json';
import { convertedType } from '../code-maps/resource-types';
import { NotConvertible } from '../not-convertible';

/** The R4 type of a converted resource. A type that R4 does not have becomes a Basic with extensions. */
export function r4ResourceType(type: string, isR4Type: (type: string) => boolean): string {
  const converted = convertedType(type);
  return isR4Type(converted) ? converted : 'Basic';
}

/** The type of a resource. @throws NotConvertible when its release does not have the type */
export function resourceTypeOf({ resourceType: type }: JsonObject, model: ElementModel): string {
  const known = typeof type === 'string' ? model.type(type) : undefined;
  if (known?.kind !== 'resource' || known.abstract)
    throw new NotConvertible('The resource, or one that it contains, has no resourceType of its release.');
  return known.name;
}
