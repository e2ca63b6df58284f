import { type FhirVersion, fhirVersion } from '@tributary/contracts';
import { z } from 'zod';

/** `<release>/<type>/<id>`, as the tools return it. */
export const resourceReference = z
  .string()
  .regex(
    /^(r4|stu3|dstu2)\/[A-Z][A-Za-z]{1,63}\/[A-Za-z0-9.-]{1,64}$/,
    'must be <release>/<type>/<id>, such as r4/Observation/1f0c…, as another tool returned it. A relative reference in a resource belongs to the release of that resource',
  );

/** @param reference of `resourceReference` */
export function partsOf(reference: string): { release: FhirVersion; type: string; id: string } {
  const [release, type = '', id = ''] = reference.split('/');
  return { release: fhirVersion.parse(release), type, id };
}
