import type { Condition } from '../index/index-values';
import { SearchError } from '../search-error';
import type { SearchPairs, SearchQuery, Subquery, SubSearch } from './search-query';

/** The limits of one search. A search that exceeds one is refused with the code `too-costly`. */
export const searchLimits = {
  /** Parameters, repeats included. */
  parameters: 200,
  /** Values of all parameters, separated by commas. */
  values: 10_000,
  /** Conditions that the database evaluates for each resource. A list of tokens, references or ids counts as one. */
  conditions: 2000,
  /** Chains, `_has`, `_list`, `:above` and `:below` of references, including nested ones. */
  subqueries: 20,
  /** References that a chain or `_has` follows in sequence. */
  chainDepth: 8,
  /** Keys of `_sort`. */
  sortKeys: 10,
  /** `_include` and `_revinclude` parameters. */
  includes: 50,
  /** Comparisons of one `_filter`. */
  filterComparisons: 200,
  /** Characters of one `_filter`. */
  filterLength: 20_000,
  /**
   * Nested parentheses, and nested NOT of `_text` and `_content`. The parsers of `_filter`, `_text` and `_content` are
   * recursive, so each level of nesting takes stack. Expressions that a person writes are far below this limit.
   */
  expressionDepth: 50,
} as const;

/** @throws SearchError when the search has too many parameters or values */
export function assertPairsWithinLimits(pairs: SearchPairs): void {
  let parameters = 0;
  let values = 0;
  for (const [key, value] of pairs) {
    if (++parameters > searchLimits.parameters)
      throw tooCostly(key, `a search may have ${searchLimits.parameters} parameters`);
    for (let at = 0; at >= 0; at = value.indexOf(',', at + 1)) values++;
    if (values > searchLimits.values) throw tooCostly(key, `a search may have ${searchLimits.values} values`);
  }
}

/** @throws SearchError when the parsed search exceeds a limit */
export function assertQueryWithinLimits(query: SearchQuery): void {
  const { sort, include, revinclude } = query.result;
  if (sort.length > searchLimits.sortKeys)
    throw tooCostly('_sort', `a search may have ${searchLimits.sortKeys} sort keys`);
  if (include.length + revinclude.length > searchLimits.includes)
    throw tooCostly('_include', `a search may have ${searchLimits.includes} _include and _revinclude parameters`);
  if (subqueriesOf(query) > searchLimits.subqueries)
    throw tooCostly(
      query.subqueries[0]?.parameter ?? '_has',
      `a search may follow ${searchLimits.subqueries} references`,
    );
  assertConditions(query);
}

/** The number of subqueries, including nested ones. */
function subqueriesOf({ subqueries }: SubSearch): number {
  return subqueries.reduce((sum, subquery) => {
    const nested = nestedSearch(subquery);
    return sum + 1 + (nested ? subqueriesOf(nested) : 0);
  }, 0);
}

function nestedSearch(subquery: Subquery): SubSearch | undefined {
  if (subquery.kind === 'chain') return subquery.target;
  return subquery.kind === 'reverse-chain' ? subquery.source : undefined;
}

function assertConditions({ criteria, subqueries }: SubSearch): void {
  let conditions = 0;
  for (const { parameter, condition } of criteria) {
    conditions += sizeOf(condition);
    if (conditions > searchLimits.conditions)
      throw tooCostly(parameter, `a search may have ${searchLimits.conditions} conditions`);
  }
  for (const subquery of subqueries) {
    const nested = nestedSearch(subquery);
    if (nested) assertConditions(nested);
  }
}

function sizeOf(condition: Condition): number {
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.of.reduce((sum, each) => sum + sizeOf(each), 0);
    case 'not':
      return sizeOf(condition.of);
    default:
      return 1;
  }
}

function tooCostly(parameter: string, message: string): SearchError {
  return new SearchError(parameter, 'too-costly', message);
}
