import type { Pool } from 'pg';
import type { Kind } from '../kinds';
import { smallintArray } from '../postgres/binary-arrays';
import { type Row, type Statement, run } from '../postgres/statement';
import { Parameters } from '../search/parameters';
import { prepared } from '../search/prepared-shapes';
import type { BlockPlace, ExportFile, ExportScope, ExportSelection } from './export-file';
import { blocksOfScope, visibleAt, wholeAt } from './visible-blocks';

/** A block of an export, without its content. */
export interface ListedBlock {
  readonly kind: Kind;
  readonly userId: number;
  readonly blockId: string;
  readonly lines: number;
  readonly plainBytes: number;
  /** Whether all its lines are in the export, so that it can go out untouched. */
  readonly whole: boolean;
}

/** A run of blocks of one kind that makes up a file, before lines that are left out are counted off. */
export interface FileDraft {
  readonly kind: Kind;
  readonly from: BlockPlace;
  readonly to: BlockPlace;
  readonly lines: number;
  readonly bytes: number;
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
  const kind = parameters.add(file.kind, 'smallint');
  const [fromUser, fromBlock] = [parameters.add(file.from.userId, 'bigint'), parameters.add(file.from.blockId, 'bigint')];
  const [toUser, toBlock] = [parameters.add(file.to.userId, 'bigint'), parameters.add(file.to.blockId, 'bigint')];
  const text = `
    SELECT b.kind, b.user_id, b.block_id, b.lines, b.plain_bytes, ${wholeAt(at, since)} AS whole
    FROM ${blocksOfScope(file.scope, scope)} AND b.kind = ${kind} AND ${visibleAt(at, since)}
      AND b.user_id BETWEEN ${fromUser} AND ${toUser}
      AND (b.user_id, b.block_id) BETWEEN (${fromUser}, ${fromBlock}) AND (${toUser}, ${toBlock})
    ORDER BY b.user_id, b.block_id`;
  return (await run(pool, prepared('export-file', text), parameters.values)).map(readListedBlock);
}

/** The blocks of a selection of which not all lines are in the export, in the order of the files. */
export async function partialBlocks(pool: Pool, selection: ExportSelection): Promise<ListedBlock[]> {
  const { statement, values } = selectionStatement(selection, (at, since, from) => `
    SELECT b.kind, b.user_id, b.block_id, b.lines, b.plain_bytes, false AS whole FROM ${from} AND NOT ${wholeAt(at, since)}
    ORDER BY b.kind, b.user_id, b.block_id`);
  return (await run(pool, statement, values)).map(readListedBlock);
}

/**
 * Cuts the blocks of a selection into files, each of one kind and within both limits. A block costs its share of either
 * limit, whichever is larger; a file ends when the costs make up one.
 */
export async function draftFiles(pool: Pool, selection: ExportSelection, fileResources: number, fileBytes: number): Promise<FileDraft[]> {
  const { statement, values } = selectionStatement(selection, (_at, _since, from, parameters) => {
    const resources = parameters.add(fileResources, 'float8');
    const bytes = parameters.add(fileBytes, 'float8');
    return `
    WITH placed AS (
      SELECT b.kind, b.user_id, b.block_id, b.lines, b.plain_bytes,
        floor(sum(greatest(b.lines / ${resources}, b.plain_bytes / ${bytes})) OVER (PARTITION BY b.kind ORDER BY b.user_id, b.block_id) - 1e-9) AS file
      FROM ${from}
    )
    SELECT kind, min(ARRAY[user_id, block_id]), max(ARRAY[user_id, block_id]), sum(lines), sum(plain_bytes)
    FROM placed GROUP BY kind, file ORDER BY kind, file`;
  });
  return (await run(pool, statement, values)).map(readDraft);
}

type SelectionText = (at: string, since: string | undefined, from: string, parameters: Parameters) => string;

function selectionStatement({ scope, at, since, kinds }: ExportSelection, text: SelectionText): { statement: Statement; values: unknown[] } {
  const parameters = new Parameters();
  const scopePlace = parameters.add(scopeValue(scope), scopeType(scope));
  const atPlace = parameters.add(at, 'bigint');
  const sincePlace = since === undefined ? undefined : parameters.add(since, 'bigint');
  const ofKinds = kinds ? ` AND b.kind = ANY (${parameters.add(smallintArray(kinds), 'smallint[]')})` : '';
  const from = `${blocksOfScope(scope, scopePlace)}${ofKinds} AND ${visibleAt(atPlace, sincePlace)}`;
  return { statement: prepared('export-plan', text(atPlace, sincePlace, from, parameters)), values: parameters.values };
}

function readListedBlock([kind, userId, blockId, lines, plainBytes, whole]: Row): ListedBlock {
  return {
    kind: kind as Kind,
    userId: Number(userId),
    blockId: blockId as string,
    lines: lines as number,
    plainBytes: plainBytes as number,
    whole: whole as boolean,
  };
}

function readDraft([kind, from, to, lines, bytes]: Row): FileDraft {
  return { kind: kind as Kind, from: readPlace(from as string), to: readPlace(to as string), lines: Number(lines), bytes: Number(bytes) };
}

/** `{user,block}` */
function readPlace(text: string): BlockPlace {
  const [userId, blockId] = text.slice(1, -1).split(',');
  return { userId: Number(userId), blockId: blockId as string };
}
