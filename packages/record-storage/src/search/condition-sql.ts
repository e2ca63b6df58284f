import { isUuid } from '@tributary/fhir-json';
import { type Bounds, type Condition, INDEX_VERSION, type RangeCondition } from '@tributary/fhir-search';
import { rangeEnd } from '../index-values/blinding';
import type { RecordKeys } from '../keys/record-keys';
import { bigintArray, uuidArray } from '../postgres/binary-arrays';
import type { Parameters } from './parameters';

const operators: readonly (readonly [keyof Bounds, string])[] = [
  ['ge', '>='],
  ['gt', '>'],
  ['le', '<='],
  ['lt', '<'],
];

/** A list with at least this many terms is hashed. Its text is too long to be prepared. */
const HASHED_FROM = 256;

/** Compiles a condition into SQL over the index row `r`, its values blinded under the record's keys. */
export function conditionSql(keys: RecordKeys, condition: Condition, parameters: Parameters): string {
  switch (condition.op) {
    case 'all':
      return 'true';
    case 'outdated':
      return `r.index_version <> ${INDEX_VERSION}`;
    case 'and':
      return joined(keys, condition.of, ' AND ', 'true', parameters);
    case 'or':
      return joined(keys, condition.of, ' OR ', 'false', parameters);
    case 'not':
      return `(${conditionSql(keys, condition.of, parameters)}) IS NOT TRUE`;
    case 'any-term':
      return anyTermSql(keys, condition.terms, parameters);
    case 'has-range':
      // The blinded name of a range never equals a value, so a match is a name.
      return `${parameters.add(keys.blindRangeName(condition.name), 'bigint')} = ANY (r.ranges)`;
    case 'range':
      return condition.repeats
        ? repeatingRangeSql(keys, condition, parameters)
        : singleRangeSql(keys, condition, parameters);
    case 'id':
      return `r.id = ANY (${parameters.add(uuidArray(condition.ids.filter((id) => isUuid(id.toLowerCase()))), 'uuid[]')})`;
    case 'last-updated':
      return boundsSql('r.last_updated', condition, (value) => timeOf(value), parameters).join(' AND ') || 'true';
  }
}

function joined(
  keys: RecordKeys,
  conditions: readonly Condition[],
  operator: string,
  ofNone: string,
  parameters: Parameters,
): string {
  if (conditions.length === 0) return ofNone;
  return `(${conditions.map((condition) => conditionSql(keys, condition, parameters)).join(operator)})`;
}

function anyTermSql(keys: RecordKeys, terms: readonly string[], parameters: Parameters): string {
  const [only] = terms;
  if (only !== undefined && terms.length === 1)
    return `${parameters.add(keys.blindTerm(only), 'bigint')} = ANY (r.blind_terms)`;
  if (terms.length >= HASHED_FROM) return hashedTermsSql(keys, terms);
  return `r.blind_terms && ${parameters.add(bigintArray(terms.map((term) => keys.blindTerm(term))), 'bigint[]')}`;
}

/**
 * `&&` compares each term of a row with each of the list. PostgreSQL hashes the list of `= ANY` once for all rows, if
 * the list is a constant: a parameter is none in a generic plan. The blinded terms are whole numbers, so that they can
 * be literals of the text.
 */
function hashedTermsSql(keys: RecordKeys, terms: readonly string[]): string {
  return `EXISTS (SELECT FROM unnest(r.blind_terms) AS term WHERE term = ANY ('{${terms.map((term) => keys.blindTerm(term)).join()}}'::bigint[]))`;
}

/** A path with one value per row: the position of its blinded name is the start of its triple. */
function singleRangeSql(keys: RecordKeys, condition: RangeCondition, parameters: Parameters): string {
  const position = `array_position(r.ranges, ${parameters.add(keys.blindRangeName(condition.name), 'bigint')})`;
  const bounds = rangeBoundsSql(keys, condition, `r.ranges[${position} + 1]`, `r.ranges[${position} + 2]`, parameters);
  return bounds.length > 0 ? `(${bounds.join(' AND ')})` : `${position} IS NOT NULL`;
}

/** A repeating path: both ends of one triple must be within the bounds. */
function repeatingRangeSql(keys: RecordKeys, condition: RangeCondition, parameters: Parameters): string {
  const name = parameters.add(keys.blindRangeName(condition.name), 'bigint');
  const bounds = rangeBoundsSql(keys, condition, 'r.ranges[i + 1]', 'r.ranges[i + 2]', parameters);
  return `EXISTS (SELECT FROM generate_series(1, cardinality(r.ranges), 3) AS i WHERE ${[`r.ranges[i] = ${name}`, ...bounds].join(' AND ')})`;
}

function rangeBoundsSql(
  keys: RecordKeys,
  { kind, low, high }: RangeCondition,
  lowSql: string,
  highSql: string,
  parameters: Parameters,
): string[] {
  const encode = (value: number): bigint => rangeEnd(keys, kind, value);
  return [...boundsSql(lowSql, low ?? {}, encode, parameters), ...boundsSql(highSql, high ?? {}, encode, parameters)];
}

function boundsSql(
  subject: string,
  bounds: Bounds,
  encode: (value: number) => bigint,
  parameters: Parameters,
): string[] {
  const comparisons: string[] = [];
  for (const [bound, operator] of operators) {
    const value = bounds[bound];
    if (value !== undefined) comparisons.push(`${subject} ${operator} ${parameters.add(encode(value), 'bigint')}`);
  }
  return comparisons;
}

/** Commit timestamps are plain epoch milliseconds. An open end is beyond all of them. */
function timeOf(value: number): bigint {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : BigInt(Math.sign(value)) * 2n ** 60n;
}
