import type { Release } from '@tributary/fhir-definitions';
import type { JsonObject, JsonValue } from '@tributary/fhir-json';

/** The releases that are converted to R4. */
export type SourceRelease = Exclude<Release, 'r4'>;

/** The state of the conversion of one resource. */
export interface Context {
  readonly release: SourceRelease;
  readonly contained: ContainedResources;
  /** The number of objects that enclose the current one. */
  depth: number;
}

/** The contained resources of a resource. */
export interface ContainedResources {
  /** R4 types by id. */
  readonly types: ReadonlyMap<string, string>;
  /** Converted resources by source resource. */
  readonly converted: ReadonlyMap<JsonValue, JsonObject>;
}

/** For a resource without contained resources. */
export const NO_CONTAINED_RESOURCES: ContainedResources = { types: new Map(), converted: new Map() };
