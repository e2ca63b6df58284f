import { wholeLength } from '../content-objects/content-reference';
import type { ReadBudget } from '../blocks/block-packing';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { smallintArray } from '../postgres/binary-arrays';
import { type Queryable, run } from '../postgres/statement';
import { Parameters } from '../search/parameters';
import { preparedForUser } from '../search/statement-cache';
import { type StoredVersion, readVersions, versionColumnCount } from './stored-version';

/** Which versions, newest first. */
export interface HistoryQuery {
  /** One resource, all of some type codes, or the whole record. */
  readonly scope:
    | { readonly typeCode: TypeCode; readonly id: string }
    | { readonly typeCodes: readonly TypeCode[] }
    | 'record';
  /** Versions with a commit timestamp at or after this time, in epoch milliseconds. */
  readonly since?: number;
  /** Versions that were the latest at some time from low (inclusive) to high (exclusive), in epoch milliseconds. */
  readonly at?: { readonly low: number; readonly high: number };
  /** The cursor of the last version of the previous page. */
  readonly after?: HistoryCursor;
  readonly limit: number;
  /**
   * Uncompressed bytes of blocks that a page may read. The page ends before the version that would exceed it, but
   * contains at least one. Default: no limit.
   */
  readonly maxBytes?: number;
  /** Whether to count the versions over all pages. */
  readonly total?: boolean;
}

/** The position of a version in the history. It can be serialized as JSON. */
export type HistoryCursor = readonly [lastUpdated: string, typeCode: string, id: string, version: string];

export interface HistoryVersion extends StoredVersion {
  readonly cursor: HistoryCursor;
}

export interface HistoryPage {
  readonly versions: HistoryVersion[];
  /** The `after` of the next page; undefined on the last page. */
  readonly next: HistoryCursor | undefined;
  readonly total: number | undefined;
}

/**
 * One page of versions, newest first. FHIR R4 http.html#history. Versions that are written later come before the page
 * and do not move it.
 * @throws UnsealingError if a block cannot be decrypted
 */
export async function readHistory(
  queryable: Queryable,
  keys: RecordKeys,
  query: HistoryQuery,
  budget?: ReadBudget,
): Promise<HistoryPage> {
  const { text, values: parameters } = historyStatement(keys.userId, query);
  const { statement, values } = preparedForUser('history', text, parameters);
  const rows = await run(queryable, statement, values);
  const fitting = rows.slice(0, query.limit).filter((row) => row[versionColumnCount] === true);
  const versions = withinBytes(readVersions(keys, fitting, { budget }), query.maxBytes).map(
    (version): HistoryVersion => ({ ...version, cursor: cursorOf(version) }),
  );
  const hasMore = rows.length > versions.length;
  return {
    versions,
    next: hasMore ? versions.at(-1)?.cursor : undefined,
    total: query.total ? Number(rows[0]?.at(-1) ?? 0) : undefined,
  };
}

/** The first versions that have this size together, with content of the object storage; one at least. */
function withinBytes(versions: readonly StoredVersion[], maxBytes = Infinity): readonly StoredVersion[] {
  let bytes = 0;
  const end = versions.findIndex(({ json }, at) => (bytes += json ? wholeLength(json) : 0) > maxBytes && at > 0);
  return end < 0 ? versions : versions.slice(0, end);
}

function cursorOf({ lastUpdated, typeCode, id, version }: StoredVersion): HistoryCursor {
  return [String(lastUpdated), String(typeCode), id, String(version)];
}

function historyStatement(userId: number, query: HistoryQuery): { text: string; values: unknown[] } {
  const parameters = new Parameters();
  const user = parameters.add(userId, 'bigint');
  const scope = `user_id = ${user}${scopeSql(query.scope, parameters)}`;
  const currentWhere = `${scope}${timeSql(query, 'NULL::bigint', parameters)}`;
  const olderWhere = `${scope}${timeSql(query, 'superseded_at', parameters)}`;
  const after = query.after ? ` AND ${afterSql(query.after, parameters)}` : '';
  const total = query.total
    ? `, (SELECT count(*) FROM fhir_store.resource WHERE ${currentWhere}) + (SELECT count(*) FROM fhir_store.resource_history WHERE ${olderWhere})`
    : '';
  const maxBytes = parameters.add(query.maxBytes ?? Number.MAX_SAFE_INTEGER, 'bigint');
  const newestFirst = 'ORDER BY last_updated DESC, type_code DESC, id DESC, version DESC';
  const text = `
    WITH page AS MATERIALIZED (
      SELECT type_code, id, version, last_updated, false AS deleted, block_id, slot FROM fhir_store.resource WHERE ${currentWhere}${after}
      UNION ALL
      SELECT type_code, id, version, last_updated, deleted, block_id, slot FROM fhir_store.resource_history WHERE ${olderWhere}${after}
      ${newestFirst} LIMIT ${parameters.add(query.limit + 1, 'integer')}
    ),
    marked AS (
      SELECT *, block_id IS NOT NULL AND row_number() OVER (PARTITION BY type_code, block_id ${newestFirst}) = 1 AS is_first_of_block FROM page
    ),
    weighed AS MATERIALIZED (
      SELECT *, coalesce(sum(CASE WHEN is_first_of_block THEN ${ofBlock('marked', 'plain_bytes')} END) OVER (${newestFirst}), 0) <= ${maxBytes} OR row_number() OVER (${newestFirst}) = 1 AS fits
      FROM marked
    )
    SELECT type_code, id, version, last_updated, deleted, block_id, slot, CASE WHEN fits AND is_first_of_block THEN ${ofBlock('weighed', 'content')} END, fits${total}
    FROM weighed ${newestFirst}`;
  return { text, values: parameters.values };
}

/** SQL for a column of the block of a row of this table. The user is $1. */
function ofBlock(table: string, column: string): string {
  return `(SELECT b.${column} FROM fhir_store.block b WHERE b.user_id = $1 AND b.type_code = ${table}.type_code AND b.block_id = ${table}.block_id)`;
}

function scopeSql(scope: HistoryQuery['scope'], parameters: Parameters): string {
  if (scope === 'record') return '';
  if ('typeCodes' in scope)
    return ` AND type_code = ANY (${parameters.add(smallintArray(scope.typeCodes), 'smallint[]')})`;
  return ` AND type_code = ${parameters.add(scope.typeCode, 'smallint')} AND id = ${parameters.add(scope.id, 'uuid')}`;
}

function timeSql({ since, at }: HistoryQuery, supersededAt: string, parameters: Parameters): string {
  const limits: string[] = [];
  if (since !== undefined) limits.push(` AND last_updated >= ${parameters.add(since, 'bigint')}`);
  if (at) {
    limits.push(` AND last_updated < ${parameters.add(at.high, 'bigint')}`);
    limits.push(` AND (${supersededAt} IS NULL OR ${supersededAt} > ${parameters.add(at.low, 'bigint')})`);
  }
  return limits.join('');
}

function afterSql([lastUpdated, typeCode, id, version]: HistoryCursor, parameters: Parameters): string {
  const row = parameters.addRow([lastUpdated, 'bigint'], [typeCode, 'smallint'], [id, 'uuid'], [version, 'integer']);
  return `(last_updated, type_code, id, version) < ${row}`;
}
