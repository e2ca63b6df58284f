import type { Release } from '@tributary/fhir-definitions';

/** The releases that are converted to R4. */
export type SourceRelease = Exclude<Release, 'r4'>;

/** What the conversion of one resource knows beside the element at hand. */
export interface Run {
  readonly release: SourceRelease;
  /** The R4 types of the contained resources, by their ids. */
  readonly containedTypes: ReadonlyMap<string, string>;
  /** How deep the object at hand lies. */
  depth: number;
}

/** How deep objects may lie in each other. Documents that were read by parseJson cannot be deeper. */
export const MAX_DEPTH = 128;
