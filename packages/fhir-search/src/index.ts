export type {
  AnyTermCondition,
  Bounds,
  Condition,
  IndexRange,
  IndexValues,
  RangeCondition,
  RangeKind,
} from './index/index-values';
export { indexValues } from './index/index-resource';
export { INDEX_VERSION } from './index/index-version';
export { anyOf, type Criterion } from './criteria/criterion';
export { containedSearch, type ContainedSearch } from './query/contained-search';
export { parseSearch } from './query/parse-search';
export type {
  Chain,
  Hierarchy,
  IgnoredParameter,
  ListMembership,
  ReverseChain,
  SearchOptions,
  SearchPairs,
  SearchQuery,
  Subquery,
  SubSearch,
} from './query/search-query';
export type { Include, ResultParameters } from './query/result-parameters';
export { searchLimits } from './query/search-limits';
export type { SortKey } from './query/sort';
export {
  compartmentCriterion,
  includedReferences,
  patientCriterion,
  referencesOf,
  referencing,
} from './query/references-of';
export { chainCriterion, containersOf } from './query/subqueries/chain';
export { childrenOf, hierarchyCriterion, parentsOf } from './query/subqueries/hierarchy';
export { listCriterion, listMembers } from './query/subqueries/list-membership';
export { reverseChainCriterion, reverseChainTargets } from './query/subqueries/reverse-chain';
export { supportedParameters } from './query/supported-parameters';
export { elementNames, keepElements, markSubsetted } from './result/keep-elements';
export { SearchError } from './search-error';
export { readTerminology, type FindDefinitions } from './terminology/read-terminology';
export { releaseTerminology, type Terminology } from './terminology/terminology';
