import type { Pool } from 'pg';
import type { TypeCode } from '../type-codes';
import { smallintArray, wholeNumberArray } from '../postgres/binary-arrays';
import { type Row, run } from '../postgres/statement';
import { Parameters } from '../search/parameters';
import { prepared } from '../search/statement-cache';
import type { ExportFile, ExportScope, ExportSelection } from './export-file';

/** A block of an export, without its content. */
export interface ListedBlock {
  readonly typeCode: TypeCode;
  readonly userId: number;
  readonly blockId: string;
  readonly entryCount: number;
  readonly plainBytes: number;
  /** Whether all its entries are in the export, so that it is sent unchanged. */
  readonly isComplete: boolean;
}

function scopeValue(scope: ExportScope): string {
  return 'userId' in scope ? String(scope.userId) : scope.clientId;
}

function scopeType(scope: ExportScope): string {
  return 'userId' in scope ? 'bigint' : 'text';
}

/** The blocks of a file, in their order. */
export async function blocksOfFile(pool: Pool, file: ExportFile): Promise<ListedBlock[]> {
  const parameters = new Parameters();
  const scope = parameters.add(scopeValue(file.scope), scopeType(file.scope));
  const at = parameters.add(file.at, 'bigint');
  const since = file.since === undefined ? undefined : parameters.add(file.since, 'bigint');
  const typeCode = parameters.add(file.typeCode, 'smallint');
  const [fromUser, fromBlock] = [
    parameters.add(file.from.userId, 'bigint'),
    parameters.add(file.from.blockId, 'bigint'),
  ];
  const [toUser, toBlock] = [parameters.add(file.to.userId, 'bigint'), parameters.add(file.to.blockId, 'bigint')];
  const text = `
    SELECT b.type_code, b.user_id, b.block_id, b.entry_count, b.plain_bytes, ${completeAt(at, since)} AS whole
    FROM ${blocksOfScope(file.scope, scope)} AND b.type_code = ${typeCode} AND ${visibleAt(at, since)}
      AND b.user_id BETWEEN ${fromUser} AND ${toUser}
      AND (b.user_id, b.block_id) BETWEEN (${fromUser}, ${fromBlock}) AND (${toUser}, ${toBlock})
    ORDER BY b.user_id, b.block_id`;
  return (await run(pool, prepared('export-file', text), parameters.values)).map(readListedBlock);
}

/** The maximum number of blocks that one statement lists. */
const BLOCKS_PER_PAGE = 20_000;

/** The position of a block among those of some users. */
export type BlockCursor = Pick<ListedBlock, 'userId' | 'typeCode' | 'blockId'>;

/**
 * A page of the blocks of a selection that belong to these users, in the order of user, type code and block, which is
 * that of the primary key.
 */
export async function blocksOfUsers(
  pool: Pool,
  { at, since, typeCodes }: ExportSelection,
  users: readonly number[],
  after: BlockCursor | undefined,
): Promise<{ blocks: ListedBlock[]; next: BlockCursor | undefined }> {
  const parameters = new Parameters();
  const ofUsers = parameters.add(wholeNumberArray(users), 'bigint[]');
  const atPlaceholder = parameters.add(at, 'bigint');
  const sincePlaceholder = since === undefined ? undefined : parameters.add(since, 'bigint');
  const conditions = [`b.user_id = ANY (${ofUsers})`, visibleAt(atPlaceholder, sincePlaceholder)];
  if (typeCodes) conditions.push(`b.type_code = ANY (${parameters.add(smallintArray(typeCodes), 'smallint[]')})`);
  if (after)
    conditions.push(
      `(b.user_id, b.type_code, b.block_id) > (${parameters.add(after.userId, 'bigint')}, ${parameters.add(after.typeCode, 'smallint')}, ${parameters.add(after.blockId, 'bigint')})`,
    );
  const text = `
    SELECT b.type_code, b.user_id, b.block_id, b.entry_count, b.plain_bytes, ${completeAt(atPlaceholder, sincePlaceholder)} AS whole
    FROM fhir_store.block b WHERE ${conditions.join(' AND ')}
    ORDER BY b.user_id, b.type_code, b.block_id LIMIT ${BLOCKS_PER_PAGE}`;
  const blocks = (await run(pool, prepared('export-plan', text), parameters.values)).map(readListedBlock);
  return { blocks, next: blocks.length === BLOCKS_PER_PAGE ? blocks.at(-1) : undefined };
}

function readListedBlock([typeCode, userId, blockId, entryCount, plainBytes, isComplete]: Row): ListedBlock {
  return {
    typeCode: typeCode as TypeCode,
    userId: Number(userId),
    blockId: blockId as string,
    entryCount: entryCount as number,
    plainBytes: plainBytes as number,
    isComplete: isComplete as boolean,
  };
}

/** SQL for the blocks `b` of a scope whose value is this placeholder. */
function blocksOfScope(scope: ExportScope, placeholder: string): string {
  return 'userId' in scope
    ? `fhir_store.block b WHERE b.user_id = ${placeholder}`
    : `fhir_store.record u JOIN fhir_store.block b ON b.user_id = u.user_id WHERE u.client_id = ${placeholder} AND u.destroyed_at IS NULL`;
}

/**
 * SQL: whether a block `b` may contain an entry that is visible at the snapshot. Blocks that were written later or
 * replaced earlier are not part of the snapshot. Skips blocks that contain no visible entry: history blocks, blocks
 * whose only entry was superseded, and blocks older than `since`. No entry is written after its block.
 */
function visibleAt(at: string, since: string | undefined): string {
  const visible = `
    NOT b.history AND b.written_at < ${at} AND (b.retired_at IS NULL OR b.retired_at >= ${at})
    AND (b.entry_count > 1 OR b.first_superseded_at IS NULL OR b.first_superseded_at >= ${at})`;
  return since === undefined ? visible : `${visible} AND b.max_last_updated > ${since}`;
}

/**
 * SQL: whether every entry of the block `b` is in the export: none superseded before the snapshot, none older than
 * `since`.
 */
function completeAt(at: string, since: string | undefined): string {
  const isComplete = `(b.first_superseded_at IS NULL OR b.first_superseded_at >= ${at})`;
  return since === undefined ? isComplete : `(${isComplete} AND b.min_last_updated > ${since})`;
}
