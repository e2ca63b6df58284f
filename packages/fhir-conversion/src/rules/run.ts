import type { Release } from '@tributary/fhir-definitions';
import type { JsonObject, JsonValue } from '@tributary/fhir-json';

/** The releases that are converted to R4. */
export type SourceRelease = Exclude<Release, 'r4'>;

/** What the conversion of one resource knows beside the element at hand. */
export interface Run {
  readonly release: SourceRelease;
  readonly contained: ContainedResources;
  /** How deep the object at hand lies. */
  depth: number;
}

/** The resources that a resource contains. */
export interface ContainedResources {
  /** Their types in R4, by their ids. */
  readonly types: ReadonlyMap<string, string>;
  /** What became of them, by the resource that each was. */
  readonly converted: ReadonlyMap<JsonValue, JsonObject>;
}

export const NOTHING_CONTAINED: ContainedResources = { types: new Map(), converted: new Map() };

/** How deep objects may lie in each other. Documents that were read by parseJson cannot be deeper. */
export const MAX_DEPTH = 128;
