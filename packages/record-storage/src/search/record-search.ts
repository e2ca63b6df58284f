import { isUuid } from '@tributary/fhir-json';
import { type Bounds, type Condition, INDEX_VERSION, type RangeCondition } from '@tributary/fhir-search';
import { rangeEnd } from '../index-values/blinding';
import type { ReadBudget } from '../blocks/block-packing';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { bigintArray, smallintArray, uuidArray } from '../postgres/binary-arrays';
import { type Row, type Queryable, run } from '../postgres/statement';
import { type BlocksOfRecord, idsOf, knownBlocks } from '../read/opened-blocks';
import { contentOncePerBlock, readVersions, versionColumnCount, versionOf } from '../read/stored-version';
import type { LiveIndex } from './memory/live-index';
import { isShort } from './memory/matching-rows';
import { SearchInMemory } from './memory/search-in-memory';
import { type DatedType, type DayCount, dayCountOf, dayCountStatement } from './count-by-day';
import { RowOrder } from './order';
import { Parameters } from './parameters';
import { timeOf } from './times';
import { preparedForUser } from './statement-cache';
import type { KeyMatch, KeyPage, ResourceMatch, ResourcePage, ResourceQuery } from './resource-query';

/** The keys and connections of a record that is searched. */
export interface SearchedRecord {
  /** The keys; undefined for a record that does not exist. */
  keys(): Promise<RecordKeys | undefined>;
  /** @param resources the number of resources that a statement reads at most; it may read all when undefined */
  queryableFor(resources?: number): Queryable;
  budget(): ReadBudget | undefined;
  /** The index of a type code in memory, if there is one. */
  liveIndex(keys: RecordKeys, typeCode: TypeCode): LiveIndex | undefined;
}

/**
 * The search among the current versions of one record. A record that does not exist has no matches. It is the property
 * `search` of `RecordReader`: of a record outside of a transaction, and of one within it, which differ in their keys
 * and connections.
 */
export class RecordSearch {
  constructor(private readonly record: SearchedRecord) {}

  /**
   * One page with content, in one round trip.
   * @throws InvalidCursorError if the cursor is of another order, UnsealingError if a block cannot be decrypted
   */
  async page(query: ResourceQuery): Promise<ResourcePage> {
    const keys = await this.record.keys();
    if (!keys) return { matches: [], next: undefined, total: query.total ? 0 : undefined };
    const queryable = this.record.queryableFor(query.limit);
    const found = await this.inMemory(keys, query.typeCodes, query.where)?.page(query, queryable, this.record.budget());
    if (found) return found;
    const known = knownBlocks(keys);
    const { text, values, order } = pageStatement(keys, query, known);
    const rows = await runForUser(queryable, 'search', text, values);
    const matches = readVersions(keys, rows, { known, budget: this.record.budget() }).map(
      ({ typeCode, id, version, lastUpdated, json }, i): ResourceMatch => ({
        typeCode,
        id,
        version,
        lastUpdated,
        json: json as Buffer,
        cursor: order.cursor(rows[i] as Row, versionColumnCount),
      }),
    );
    const hasMore = rows.length > query.limit;
    if (hasMore) matches.pop();
    return {
      matches,
      next: hasMore ? matches.at(-1)?.cursor : undefined,
      total: query.total ? await this.totalOf(query, rows[0]) : undefined,
    };
  }

  /** One page without content: no block is read or decrypted. @throws InvalidCursorError */
  async keysPage(query: Omit<ResourceQuery, 'total'>): Promise<KeyPage> {
    const keys = await this.record.keys();
    if (!keys) return { matches: [], next: undefined };
    const found = await this.inMemory(keys, query.typeCodes, query.where)?.keysPage(query);
    if (found) return found;
    const { parameters, order, select } = matchingRows(keys, query);
    const queryable = this.record.queryableFor(query.limit);
    const rows = await runForUser(queryable, 'search-keys', select(''), parameters.values);
    const matches = rows
      .slice(0, query.limit)
      .map((row): KeyMatch => ({ ...versionOf(row), cursor: order.cursor(row, keyColumnCount) }));
    return { matches, next: rows.length > query.limit ? matches.at(-1)?.cursor : undefined };
  }

  /** The number of current versions that match. */
  async count(typeCodes: readonly TypeCode[], where: Condition): Promise<number> {
    const keys = await this.record.keys();
    if (!keys) return 0;
    const found = await this.inMemory(keys, typeCodes, where)?.count(where);
    if (found !== undefined) return found;
    const parameters = new Parameters();
    const text = `SELECT count(*) FROM fhir_store.resource r WHERE ${matchSql(keys, typeCodes, where, parameters)}`;
    const [row] = await runForUser(this.record.queryableFor(), 'count', text, parameters.values);
    return Number(row?.[0]);
  }

  /** The numbers of current resources of some types by the days on which their dates begin, in no order. */
  async countByDay(types: readonly DatedType[]): Promise<DayCount[]> {
    const keys = await this.record.keys();
    if (!keys) return [];
    const { text, values } = dayCountStatement(keys, types);
    const rows = await runForUser(this.record.queryableFor(), 'count-by-day', text, values);
    return rows.map((row) => dayCountOf(keys, row));
  }

  private inMemory(
    keys: RecordKeys,
    [typeCode, ...others]: readonly TypeCode[],
    where: Condition,
  ): SearchInMemory | undefined {
    if (typeCode === undefined || others.length > 0) return undefined;
    const live = this.record.liveIndex(keys, typeCode);
    return live && isShort(live.rows, where) ? new SearchInMemory(live, keys, typeCode) : undefined;
  }

  /**
   * The total is a column of every row of a page. A page without rows is the first and only one, or follows the last
   * match.
   */
  private async totalOf(query: ResourceQuery, row: Row | undefined): Promise<number> {
    if (row) return Number(row.at(-1));
    return query.after ? this.count(query.typeCodes, query.where) : 0;
  }
}

function runForUser(
  queryable: Queryable,
  purpose: 'search' | 'search-keys' | 'count' | 'count-by-day',
  text: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const { statement, values } = preparedForUser(purpose, text, parameters);
  return run(queryable, statement, values);
}

/**
 * The statement of a page. Rows are found and ordered by the index row alone, one more than the limit to see whether
 * there is a next page. The content of a block is read once, for the first of its rows, unless the block is known.
 */
function pageStatement(
  keys: RecordKeys,
  query: ResourceQuery,
  known: BlocksOfRecord,
): { text: string; values: unknown[]; order: RowOrder } {
  const { parameters, match, order, select } = matchingRows(keys, query);
  const total = query.total ? totalSql(query, match, parameters) : undefined;
  // The id of a block is unique among those of one type code.
  const [typeCode, ...others] = query.typeCodes;
  const isOneType = typeCode !== undefined && others.length === 0;
  const knownIds = isOneType ? parameters.add(idsOf(known, typeCode), 'bigint[]') : undefined;
  const text = `
    WITH page AS MATERIALIZED (
      ${select(`r.block_id, r.slot${total?.ofRow ?? ''}, `)}
    )
    SELECT type_code, id, version, last_updated, false AS deleted, block_id, slot, ${contentOncePerBlock('page', knownIds)}, ${order.names}${total?.ofPage ?? ''}
    FROM page ORDER BY ${order.orderBy}`;
  return { text, values: parameters.values, order };
}

/**
 * The rows of a page in their order, one more than the limit.
 * @returns select makes the statement, with further columns, each followed by a comma
 */
function matchingRows(
  keys: RecordKeys,
  { typeCodes, where, order: by = [], direction = 'forward', after, limit }: Omit<ResourceQuery, 'total'>,
): { parameters: Parameters; match: string; order: RowOrder; select: (columns: string) => string } {
  const parameters = new Parameters();
  const match = matchSql(keys, typeCodes, where, parameters);
  const order = new RowOrder(keys, by, typeCodes.length > 1, parameters, direction);
  const rows = `FROM fhir_store.resource r WHERE ${match}${after ? ` AND ${order.afterSql(after, parameters)}` : ''}
      ORDER BY ${order.orderByRow} LIMIT ${parameters.add(limit + 1, 'integer')}`;
  const select = (columns: string): string =>
    `SELECT r.type_code, r.id, r.version, r.last_updated, ${columns}${order.columns} ${rows}`;
  return { parameters, match, order, select };
}

/**
 * The number of matches of all pages, as columns of the rows that are found and of the page. A sort reads all matches
 * anyway, and counts them meanwhile. A page in the order of the primary key ends early, and the matches are counted
 * only when it is not the last one: CASE evaluates the subquery of one branch.
 */
function totalSql(query: ResourceQuery, match: string, parameters: Parameters): { ofRow: string; ofPage: string } {
  if (query.order?.length && query.where.op !== 'all' && !query.after)
    return { ofRow: ', count(*) OVER () AS total', ofPage: ', total' };
  const count = `(SELECT count(*) FROM fhir_store.resource r WHERE ${match})`;
  if (query.after) return { ofRow: '', ofPage: `, ${count}` };
  const ofPage = '(SELECT count(*) FROM page)';
  return {
    ofRow: '',
    ofPage: `, CASE WHEN ${ofPage} > ${parameters.add(query.limit, 'integer')} THEN ${count} ELSE ${ofPage} END`,
  };
}

/** Columns of a page of keys before those of the cursor: type code, id, version, last_updated. */
const keyColumnCount = 4;

/** The rows of the record that match; the user is always $1. */
function matchSql(keys: RecordKeys, typeCodes: readonly TypeCode[], where: Condition, parameters: Parameters): string {
  const user = parameters.add(keys.userId, 'bigint');
  const typeCode =
    typeCodes.length === 1
      ? `= ${parameters.add(typeCodes[0], 'smallint')}`
      : `= ANY (${parameters.add(smallintArray(typeCodes), 'smallint[]')})`;
  return `r.user_id = ${user} AND r.type_code ${typeCode} AND ${conditionSql(keys, where, parameters)}`;
}

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
      return boundsSql('r.last_updated', condition, timeOf, parameters).join(' AND ') || 'true';
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
