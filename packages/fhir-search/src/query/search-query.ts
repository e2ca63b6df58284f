import type { Release } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import type { Criterion } from '../criteria/criterion';
import type { Terminology } from '../terminology/terminology';
import type { ResultParameters } from './result-parameters';

/** Query pairs as they came; URLSearchParams fits. */
export type SearchPairs = Iterable<readonly [string, string]>;

export interface SearchOptions {
  /** `Prefer: handling=strict`: what is not supported is an error. */
  strict?: boolean;
  /** The own base address of the release: absolute references to it are the same as relative ones. */
  baseUrl?: string;
  /** Parameters of the caller, such as a paging cursor: left alone. */
  alsoKnown?: ReadonlySet<string>;
  /** Epoch milliseconds, for `ap` with dates. */
  now?: number;
  /** Where value sets and code systems are found, see `readTerminology`; without it only those of the release are. */
  terminology?: Terminology;
}

/** What resources must fulfil: all criteria and all links. */
export interface SubSearch {
  /** Empty: every type. */
  types: readonly string[];
  criteria: Criterion[];
  links: SearchLink[];
}

/**
 * A chain such as `subject:Patient.name=x`: search `target`, hand in the references of what it found, and those of the resources that contain what it asks for, which
 * `holders` searches for once the links of `target` are answered.
 */
export interface ChainLink {
  kind: 'chain';
  parameter: string;
  target: SubSearch;
  holders(linked: readonly Criterion[]): SubSearch;
  criterion(references: readonly string[], holders?: readonly string[]): Criterion;
}

/** `_has:Observation:patient:code=x`: search `source`, hand in where the resources that it found refer to. */
export interface ReverseChainLink {
  kind: 'has';
  parameter: string;
  source: SubSearch;
  referencesOf(found: Resource): string[];
  criterion(references: readonly string[]): Criterion;
}

/** `_list=x`: read the List, hand in its members. */
export interface ListLink {
  kind: 'list';
  parameter: string;
  listId: string;
  criterion(references: readonly string[]): Criterion;
}

/** `location:below=x`: go from these resources to their parts, or from parts to what they are part of, and hand in all that were met. */
export interface HierarchyLink {
  kind: 'hierarchy';
  parameter: string;
  start: readonly string[];
  direction: 'above' | 'below';
  /** Searches for what is directly part of these. */
  partsOf(references: readonly string[]): SubSearch[];
  /** What a resource is directly part of. */
  wholesOf(part: Resource): string[];
  criterion(references: readonly string[]): Criterion;
}

/** A part of a search that another search or a read must answer first. References are `Type/id`. */
export type SearchLink = ChainLink | ReverseChainLink | ListLink | HierarchyLink;

export interface IgnoredParameter {
  parameter: string;
  reason: string;
}

export interface SearchQuery extends SubSearch {
  release: Release;
  result: ResultParameters;
  /** The pairs that were understood, for the self link. */
  applied: [string, string][];
  ignored: IgnoredParameter[];
  /** Whether a resource itself, and not only something inside it, fulfils the criteria. */
  matchesItself(resource: Resource): boolean;
  /** With `_contained`: the contained resources of a found resource that match. */
  containedMatches(resource: Resource): Resource[];
}
