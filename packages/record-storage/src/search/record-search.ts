import type { Condition } from '@tributary/fhir-search';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { smallintArray } from '../postgres/binary-arrays';
import { type Row, type Queryable, run } from '../postgres/statement';
import { contentOncePerBlock, readVersions, versionColumnCount } from '../read/stored-version';
import { conditionSql } from './condition-sql';
import { type Cursor, type Direction, type Order, RowOrder } from './order';
import { Parameters } from './parameters';
import { preparedForUser } from './prepared-shapes';

/** A search among the current versions of a record. */
export interface ResourceQuery {
  readonly typeCodes: readonly TypeCode[];
  readonly where: Condition;
  /**
   * Sort keys, the most important first; type code and id complete the order. Default: by type code and id, which is
   * the order of the primary key.
   */
  readonly order?: readonly Order[];
  /** `backward` reads the order from its end. The matches of a page come in the direction of reading. */
  readonly direction?: Direction;
  /** The cursor of the match after which the page begins, in the direction of reading. */
  readonly after?: Cursor;
  readonly limit: number;
  /** Whether to count the matches of all pages. */
  readonly total?: boolean;
}

/** A match, without content. */
export interface KeyMatch {
  readonly typeCode: TypeCode;
  readonly id: string;
  readonly version: number;
  /** Epoch milliseconds. */
  readonly lastUpdated: number;
  /** Its position in the order: a page `after` it begins with the next match. */
  readonly cursor: Cursor;
}

export interface ResourceMatch extends KeyMatch {
  readonly json: Buffer;
}

export interface KeyPage {
  readonly matches: KeyMatch[];
  /** The `after` of the next page; undefined on the last page. */
  readonly next: Cursor | undefined;
}

export interface ResourcePage {
  readonly matches: ResourceMatch[];
  /** The `after` of the next page; undefined on the last page. */
  readonly next: Cursor | undefined;
  /** The number of matches of all pages, if requested. */
  readonly total: number | undefined;
}

/** The keys and connections of a record that is searched. */
export interface SearchedRecord {
  /** The keys; undefined for a record that does not exist. */
  keys(): Promise<RecordKeys | undefined>;
  /** @param resources the number of resources that a statement reads at most; it may read all when undefined */
  queryableFor(resources?: number): Queryable;
}

/** The search among the current versions of one record. A record that does not exist has no matches. */
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
    const { text, values, order } = pageStatement(keys, query);
    const rows = await runForUser(queryable, 'search', text, values);
    const matches = readVersions(keys, rows).map(({ typeCode, id, version, lastUpdated, json }, i): ResourceMatch => ({
      typeCode,
      id,
      version,
      lastUpdated,
      json: json as Buffer,
      cursor: order.cursor(rows[i] as Row, versionColumnCount),
    }));
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
    const { text, values, order } = keysStatement(keys, query);
    const rows = await runForUser(this.record.queryableFor(query.limit), 'search-keys', text, values);
    const matches = rows.slice(0, query.limit).map((row): KeyMatch => {
      const [typeCode, id, version, lastUpdated] = row;
      return {
        typeCode: typeCode as TypeCode,
        id: id as string,
        version: version as number,
        lastUpdated: Number(lastUpdated),
        cursor: order.cursor(row, keyColumnCount),
      };
    });
    return { matches, next: rows.length > query.limit ? matches.at(-1)?.cursor : undefined };
  }

  /** The number of current versions that match. */
  async count(typeCodes: readonly TypeCode[], where: Condition): Promise<number> {
    const keys = await this.record.keys();
    if (!keys) return 0;
    const parameters = new Parameters();
    const text = `SELECT count(*) FROM fhir_store.resource r WHERE ${matchSql(keys, typeCodes, where, parameters)}`;
    const [row] = await runForUser(this.record.queryableFor(), 'count', text, parameters.values);
    return Number(row?.[0]);
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
  purpose: 'search' | 'search-keys' | 'count',
  text: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const { statement, values } = preparedForUser(purpose, text, parameters);
  return run(queryable, statement, values);
}

/**
 * The statement of a page. Rows are found and ordered by the index row alone, one more than the limit to see whether
 * there is a next page. The content of a block is read once, for the first of its rows.
 */
function pageStatement(keys: RecordKeys, query: ResourceQuery): { text: string; values: unknown[]; order: RowOrder } {
  const parameters = new Parameters();
  const match = matchSql(keys, query.typeCodes, query.where, parameters);
  const order = orderOf(keys, query, parameters);
  const total = query.total ? totalSql(query, match, parameters) : undefined;
  const after = query.after ? ` AND ${order.afterSql(query.after, parameters)}` : '';
  const text = `
    WITH page AS MATERIALIZED (
      SELECT r.type_code, r.id, r.version, r.last_updated, r.block_id, r.slot, ${order.columns}${total?.ofRow ?? ''}
      FROM fhir_store.resource r WHERE ${match}${after}
      ORDER BY ${order.orderByRow} LIMIT ${parameters.add(query.limit + 1, 'integer')}
    )
    SELECT type_code, id, version, last_updated, false AS deleted, block_id, slot, ${contentOncePerBlock('page')}, ${order.names}${total?.ofPage ?? ''}
    FROM page ORDER BY ${order.orderBy}`;
  return { text, values: parameters.values, order };
}

function orderOf(
  keys: RecordKeys,
  { order = [], typeCodes, direction = 'forward' }: Omit<ResourceQuery, 'total'>,
  parameters: Parameters,
): RowOrder {
  return new RowOrder(keys, order, typeCodes.length > 1, parameters, direction);
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

/** The statement of a page without content. */
function keysStatement(
  keys: RecordKeys,
  query: Omit<ResourceQuery, 'total'>,
): { text: string; values: unknown[]; order: RowOrder } {
  const parameters = new Parameters();
  const match = matchSql(keys, query.typeCodes, query.where, parameters);
  const order = orderOf(keys, query, parameters);
  const after = query.after ? ` AND ${order.afterSql(query.after, parameters)}` : '';
  const text = `
    SELECT r.type_code, r.id, r.version, r.last_updated, ${order.columns} FROM fhir_store.resource r WHERE ${match}${after}
    ORDER BY ${order.orderByRow} LIMIT ${parameters.add(query.limit + 1, 'integer')}`;
  return { text, values: parameters.values, order };
}

/** The rows of the record that match; the user is always $1. */
function matchSql(keys: RecordKeys, typeCodes: readonly TypeCode[], where: Condition, parameters: Parameters): string {
  const user = parameters.add(keys.userId, 'bigint');
  const typeCode =
    typeCodes.length === 1
      ? `= ${parameters.add(typeCodes[0], 'smallint')}`
      : `= ANY (${parameters.add(smallintArray(typeCodes), 'smallint[]')})`;
  return `r.user_id = ${user} AND r.type_code ${typeCode} AND ${conditionSql(keys, where, parameters)}`;
}
