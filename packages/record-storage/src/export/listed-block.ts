import type { Pool } from 'pg';
import type { TypeCode } from '../type-codes';
import { smallintArray, wholeNumberArray } from '../postgres/binary-arrays';
import { run } from '../postgres/statement';
import { Parameters } from '../search/parameters';
import { prepared } from '../search/statement-cache';
import type { ExportFile, ExportSelection } from './export-file';

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

/** The blocks of a file, in their order. */
export function blocksOfFile(pool: Pool, file: ExportFile): Promise<ListedBlock[]> {
  const { scope, typeCode, from, to } = file;
  const parameters = new Parameters();
  const [fromUser, fromBlock] = [parameters.add(from.userId, 'bigint'), parameters.add(from.blockId, 'bigint')];
  const [toUser, toBlock] = [parameters.add(to.userId, 'bigint'), parameters.add(to.blockId, 'bigint')];
  const ofScope =
    'userId' in scope
      ? `fhir_store.block b WHERE b.user_id = ${parameters.add(scope.userId, 'bigint')}`
      : `fhir_store.record u JOIN fhir_store.block b ON b.user_id = u.user_id WHERE u.client_id = ${parameters.add(scope.clientId, 'text')} AND u.destroyed_at IS NULL`;
  const blocks = `${ofScope} AND b.type_code = ${parameters.add(typeCode, 'smallint')}
      AND b.user_id BETWEEN ${fromUser} AND ${toUser}
      AND (b.user_id, b.block_id) BETWEEN (${fromUser}, ${fromBlock}) AND (${toUser}, ${toBlock})`;
  return list(pool, 'export-file', file, parameters, blocks, 'b.user_id, b.block_id');
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
  selection: ExportSelection,
  users: readonly number[],
  after: BlockCursor | undefined,
): Promise<{ blocks: ListedBlock[]; next: BlockCursor | undefined }> {
  const { typeCodes } = selection;
  const parameters = new Parameters();
  const conditions = [`b.user_id = ANY (${parameters.add(wholeNumberArray(users), 'bigint[]')})`];
  if (typeCodes) conditions.push(`b.type_code = ANY (${parameters.add(smallintArray(typeCodes), 'smallint[]')})`);
  if (after) {
    const row = parameters.addRow([after.userId, 'bigint'], [after.typeCode, 'smallint'], [after.blockId, 'bigint']);
    conditions.push(`(b.user_id, b.type_code, b.block_id) > ${row}`);
  }
  const ofUsers = `fhir_store.block b WHERE ${conditions.join(' AND ')}`;
  const order = `b.user_id, b.type_code, b.block_id LIMIT ${BLOCKS_PER_PAGE}`;
  const blocks = await list(pool, 'export-plan', selection, parameters, ofUsers, order);
  return { blocks, next: blocks.length === BLOCKS_PER_PAGE ? blocks.at(-1) : undefined };
}

/**
 * Lists those of the given blocks `b` that may contain a visible entry. Blocks that were written after the snapshot or
 * replaced before it are not part of it. Skips blocks that contain no visible entry: history blocks, blocks whose only
 * entry was superseded, and blocks older than `since`. No entry is written after its block. A block is complete if none
 * of its entries was superseded before the snapshot, and none is older than `since`.
 */
async function list(
  pool: Pool,
  purpose: string,
  { at, since }: Pick<ExportSelection, 'at' | 'since'>,
  parameters: Parameters,
  blocks: string,
  order: string,
): Promise<ListedBlock[]> {
  const snapshot = parameters.add(at, 'bigint');
  const after = since === undefined ? undefined : parameters.add(since, 'bigint');
  const isUntouched = `(b.first_superseded_at IS NULL OR b.first_superseded_at >= ${snapshot})`;
  const text = `
    SELECT b.type_code, b.user_id, b.block_id, b.entry_count, b.plain_bytes,
      ${isUntouched}${after === undefined ? '' : ` AND b.min_last_updated > ${after}`} AS whole
    FROM ${blocks} AND NOT b.history AND b.written_at < ${snapshot} AND (b.retired_at IS NULL OR b.retired_at >= ${snapshot})
      AND (b.entry_count > 1 OR ${isUntouched})${after === undefined ? '' : ` AND b.max_last_updated > ${after}`}
    ORDER BY ${order}`;
  const rows = await run(pool, prepared(purpose, text), parameters.values);
  return rows.map(([typeCode, userId, blockId, entryCount, plainBytes, isComplete]) => ({
    typeCode: typeCode as TypeCode,
    userId: Number(userId),
    blockId: blockId as string,
    entryCount: entryCount as number,
    plainBytes: plainBytes as number,
    isComplete: isComplete as boolean,
  }));
}
