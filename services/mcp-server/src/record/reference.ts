import { type FhirVersion, fhirVersion } from '@tributary/contracts';
import { parseReference } from '@tributary/fhir-json';
import { z } from 'zod';

/** `<release>/<type>/<id>`, as the tools return it. */
export const resourceReference = z.string().refine((text) => {
  const [release = '', ...rest] = text.split('/');
  return fhirVersion.safeParse(release).success && relativeReference(rest.join('/')) !== undefined;
}, 'must be <release>/<type>/<id>, such as r4/Observation/1f0c…, as another tool returned it. A relative reference in a resource belongs to the release of that resource');

/** @param reference of `resourceReference` */
export function partsOf(reference: string): { release: FhirVersion; type: string; id: string } {
  const [release, type = '', id = ''] = reference.split('/');
  return { release: fhirVersion.parse(release), type, id };
}

/**
 * The parts of `<type>/<id>`. The ids `.` and `..`, which are segments of a path, are none.
 * @returns undefined for any other reference
 */
export function relativeReference(text: string): { type: string; id: string } | undefined {
  const { base, type, id, version, fragment } = parseReference(text) ?? {};
  const isPlain = base === '' && version === undefined && fragment === undefined;
  return isPlain && type !== undefined && id !== undefined && id !== '.' && id !== '..' ? { type, id } : undefined;
}
