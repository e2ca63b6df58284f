import type { Release } from '@tributary/fhir-definitions';
import type { Criterion } from '../criteria/criterion';
import type { Terminology } from '../terminology/terminology';
import type { ResolvedParameter } from './resolved-parameter';
import type { ResultParameters } from './result-parameters';

/** The decoded names and values of a query string, such as URLSearchParams. */
export type SearchPairs = Iterable<readonly [string, string]>;

/** Options of parseSearch. */
export interface SearchOptions {
  /** `Prefer: handling=strict`: an unknown parameter is an error. */
  strict?: boolean;
  /** A parameter for the result, such as `_count` or `_contained`, is an error. */
  criteriaOnly?: boolean;
  /** Whether the resources are shown in R4, so that `_releasePerSource` is supported. Default: false. */
  inR4?: boolean;
  /** The base URL of this server for the release. Absolute references to it equal relative ones. */
  baseUrl?: string;
  /** Epoch milliseconds, for the prefix `ap` of dates. Default: now. */
  now?: number;
  /** Value sets and code systems, from `readTerminology`. Default: those of the release. */
  terminology?: Terminology;
}

/** What resources must fulfil: all criteria and all subqueries. */
export interface SubSearch {
  /** Empty: every type. */
  types: readonly string[];
  criteria: Criterion[];
  subqueries: Subquery[];
}

/**
 * A part of a search that depends on the results of other searches or reads of the record. The caller runs these first,
 * and makes a criterion from the results by the functions named below. References are written `Type/id`.
 */
export type Subquery = Chain | ReverseChain | ListMembership | Hierarchy;

interface SubqueryBase {
  readonly release: Release;
  /** The search parameter as it was written. */
  readonly parameter: string;
  /** The types of the search that the subquery belongs to. Empty: every type. */
  readonly types: readonly string[];
}

/**
 * `subject:Patient.name=x` (https://hl7.org/fhir/R4/search.html#chaining): resources whose reference leads to a match
 * of `target`. Search for `target` and for `containersOf(chain)`, then call `chainCriterion`.
 */
export interface Chain extends SubqueryBase {
  readonly kind: 'chain';
  /** The reference parameter that the chain follows. */
  readonly reference: ResolvedParameter;
  readonly target: SubSearch;
}

/**
 * `_has:Observation:patient:code=x` (https://hl7.org/fhir/R4/search.html#has): resources that a match of `source`
 * refers to. Search for `source`, collect the `reverseChainTargets` of the matches, then call `reverseChainCriterion`.
 */
export interface ReverseChain extends SubqueryBase {
  readonly kind: 'reverse-chain';
  readonly source: SubSearch;
  readonly sourceType: string;
  /** The code of the reference parameter of `sourceType`. */
  readonly reference: string;
}

/**
 * `_list=x` (https://hl7.org/fhir/R4/search.html#list): the members of a List.
 * Read the List, then call `listCriterion` with its `listMembers`.
 */
export interface ListMembership extends SubqueryBase {
  readonly kind: 'list';
  readonly listId: string;
}

/**
 * `location:below=x` or `location:above=x` (https://hl7.org/fhir/R4/search.html#recursive): resources that refer to
 * `start`, or to a resource below or above it. From `start` follow `childrenOf` (below) or `parentsOf` (above) level by
 * level, then call `hierarchyCriterion` with all resources that were reached.
 */
export interface Hierarchy extends SubqueryBase {
  readonly kind: 'hierarchy';
  readonly reference: ResolvedParameter;
  readonly direction: 'above' | 'below';
  readonly start: readonly string[];
  /** The types among the targets of the reference that have parents of their own type. */
  readonly levelTypes: readonly string[];
}

/** A parameter that a lenient search ignores. */
export interface IgnoredParameter {
  parameter: string;
  reason: string;
}

/** A parsed search. */
export interface SearchQuery extends SubSearch {
  release: Release;
  result: ResultParameters;
  /** The pairs that were applied, for the self link. */
  applied: [string, string][];
  ignored: IgnoredParameter[];
}
