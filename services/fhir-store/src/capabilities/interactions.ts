import type { Release } from '@tributary/fhir-definitions';

/** The interactions with a resource type, in the codes of the release. */
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

/** The interactions with the whole record. */
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
const ofOneType: Readonly<Record<string, readonly string[]>> = {
  Patient: ['Patient-everything'],
  Observation: ['Observation-lastn'],
};

/** Operations on a type and its resources. */
export function typeOperations(type: string): readonly string[] {
  return [...everyType, ...(ofOneType[type] ?? [])];
}

/** All of them; before r4 a statement lists operations in one place only. */
export const allOperations: readonly string[] = [...everyType, ...Object.values(ofOneType).flat()];
