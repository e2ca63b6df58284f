export type {
  AnyTermCondition,
  Bounds,
  Condition,
  IndexRange,
  IndexValues,
  RangeCondition,
  RangeKind,
} from './index-values';
export { indexValues } from './index/index-resource';
export { INDEX_VERSION } from './index/index-version';
export type { Criterion } from './criteria/criterion';
export { parseSearch } from './query/parse-search';
export type {
  ChainLink,
  HierarchyLink,
  IgnoredParameter,
  ListLink,
  ReverseChainLink,
  SearchLink,
  SearchOptions,
  SearchPairs,
  SearchQuery,
  SubSearch,
} from './query/search-query';
export type { Include, ResultParameters } from './query/result-parameters';
export { searchLimits } from './query/search-limits';
export type { SortKey } from './query/sort';
export {
  compartmentCriterion,
  includedReferences,
  listMembers,
  referencesOf,
  referencing,
} from './query/references-of';
export { supportedParameters } from './query/supported-parameters';
export { SearchError } from './search-error';
export { readTerminology, type FindDefinitions } from './terminology/read-terminology';
export { releaseTerminology, type Terminology } from './terminology/terminology';
