import type { ElementModel } from '@tributary/fhir-definitions';
import type { JsonObject } from '@tributary/fhir-json';
import { NotConvertible } from '../not-convertible';

/** The R4 type of a converted resource. What R4 has no type for becomes a Basic, with all that it says in extensions. */
export function r4ResourceType(type: string, isR4Type: (type: string) => boolean): string {
  if (type === 'MedicationOrder') return 'MedicationRequest';
  return isR4Type(type) ? type : 'Basic';
}

/** The type of a resource of a release. */
export function resourceTypeOf({ resourceType: type }: JsonObject, model: ElementModel): string {
  const known = typeof type === 'string' ? model.type(type) : undefined;
  if (known?.kind !== 'resource' || known.abstract)
    throw new NotConvertible('The resource, or one that it contains, has no resourceType of its release.');
  return known.name;
}
