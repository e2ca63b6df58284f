import type { Release } from '@tributary/fhir-definitions';

/** The interactions with a resource type, in the codes of the release. */
export function typeInteractions(_release: Release): readonly string[] {
  return ['read', 'search-type', 'create'];
}

export function systemInteractions(_release: Release): readonly string[] {
  return ['search-system'];
}

export const systemOperations: readonly string[] = [];

export function typeOperations(_type: string): readonly string[] {
  return [];
}
