import { fhirVersionOf } from '@tributary/fhir-definitions';
import type { JsonObject } from '@tributary/fhir-json';
import { setProperty, targetProperty } from './rules/target-property';
import type { SourceRelease } from './rules/context';

/**
 * The code system of the tag that marks a resource as converted. Its codes are converted-from-dstu2 and
 * converted-from-stu3.
 */
export const CONVERSION_SYSTEM = 'https://tributary.dev/fhir/CodeSystem/conversion';

const NAMES = { dstu2: 'DSTU2', stu3: 'STU3' } as const;
const TAG = targetProperty('tag', true);

/** Adds the tag to the meta of a converted resource. */
export function tagAsConverted(meta: JsonObject, release: SourceRelease): void {
  setProperty(meta, TAG, {
    system: CONVERSION_SYSTEM,
    code: `converted-from-${release}`,
    display: `Converted from FHIR ${NAMES[release]} (${fhirVersionOf[release]})`,
  });
}
