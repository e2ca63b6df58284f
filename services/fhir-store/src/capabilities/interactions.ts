import type { Release } from '@tributary/fhir-definitions';

/** The interactions with a resource type (https://hl7.org/fhir/R4/valueset-type-restful-interaction.html). */
export function typeInteractions(release: Release): readonly string[] {
  return [
    'read',
    'vread',
    'update',
    ...(release === 'dstu2' ? [] : ['patch']),
    'delete',
    'history-instance',
    'history-type',
    'create',
    'search-type',
  ];
}

/** The interactions with the whole record (https://hl7.org/fhir/R4/valueset-system-restful-interaction.html). */
export function systemInteractions(release: Release): readonly string[] {
  return ['transaction', ...(release === 'dstu2' ? [] : ['batch']), 'history-system', 'search-system'];
}

/** Operations on the whole record, by the ids of their definitions. */
export const systemOperations: readonly string[] = ['Resource-meta'];

const everyType: readonly string[] = [
  'Resource-validate',
  'Resource-meta',
  'Resource-meta-add',
  'Resource-meta-delete',
];
const ofOneType: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    Patient: ['Patient-everything'],
    Observation: ['Observation-lastn'],
  }),
);

/** Operations on a type and its resources. */
export function typeOperations(type: string): readonly string[] {
  return [...everyType, ...(ofOneType.get(type) ?? [])];
}

/** All operations. Before r4 a CapabilityStatement lists operations on the system level only. */
export const allOperations: readonly string[] = [...everyType, ...[...ofOneType.values()].flat()];
