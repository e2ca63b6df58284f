import type { ExportFile, ExportSelection } from './export-file';
import type { ExportedRecords } from './exported-records';
import { type DraftState, type FileDraft, type FileLimits, addToDrafts } from './file-drafts';
import { type BlockCursor, type ListedBlock, blocksOfUsers } from './listed-block';
import { readBlocks } from './read-blocks';
import { userPages } from './scope-users';

export interface PlanOptions extends FileLimits {
  /** The maximum number of blocks, and of users, that the plan may read. Default: no maximum. */
  readonly maxBlocks?: number;
  /** The maximum number of users of one step. Default 500. */
  readonly usersPerStep?: number;
  /** Aborted when the caller no longer waits for the plan. */
  readonly signal?: AbortSignal;
}

/** The state of a plan at the end of a step. It can be serialized as JSON, so that another process can continue it. */
export interface PlanState extends DraftState {
  /** The user with whom the next step begins. */
  readonly nextUser: number;
  /** The number of blocks and users read so far. */
  readonly blocks: number;
  readonly users: number;
}

/** The scope of an export has more blocks or users than `maxBlocks`. */
export class ExportTooLargeError extends Error {
  override readonly name = 'ExportTooLargeError';
  constructor(readonly maxBlocks: number) {
    super('the export is too large to be planned at once');
  }
}

/**
 * The files of an export, each of one type code and with its exact count; without empty ones.
 * @throws ExportTooLargeError, UnsealingError
 */
export async function planExport(
  records: ExportedRecords,
  selection: ExportSelection,
  options: PlanOptions = {},
): Promise<ExportFile[]> {
  let last: PlanState | undefined;
  for await (const state of planSteps(records, selection, options)) last = state;
  return last ? plannedFiles(selection, last) : [];
}

/**
 * Plans an export in steps of `usersPerStep` users. Memory holds the blocks of one step and the files so far, not all
 * blocks of a client.
 * @param from the state in which an earlier plan of the same selection and limits ended
 * @throws ExportTooLargeError, UnsealingError, the reason of the signal
 */
export async function* planSteps(
  records: ExportedRecords,
  selection: ExportSelection,
  { maxBlocks = Infinity, usersPerStep, signal, ...limits }: PlanOptions,
  from?: PlanState,
): AsyncGenerator<PlanState> {
  const drafts: DraftState = from ?? { drafts: [], costs: {}, open: {} };
  let { blocks, users: seenUsers } = from ?? { blocks: 0, users: 0 };
  const pages = userPages(records.pool, selection.scope, { from: from?.nextUser, pageSize: usersPerStep });
  for await (const users of pages) {
    seenUsers += users.length;
    let after: BlockCursor | undefined;
    do {
      signal?.throwIfAborted();
      const page = await blocksOfUsers(records.pool, selection, users, after);
      blocks += page.blocks.length;
      if (Math.max(blocks, seenUsers) > maxBlocks) throw new ExportTooLargeError(maxBlocks);
      await addBlocks(records, selection, (block) => addToDrafts(drafts, limits, block), page.blocks, signal);
      after = page.next;
    } while (after);
    yield { ...drafts, nextUser: (users.at(-1) as number) + 1, blocks, users: seenUsers };
  }
}

/** The files of a plan that is complete; without empty ones. */
export function plannedFiles({ scope, at, since }: ExportSelection, { drafts }: PlanState): ExportFile[] {
  return drafts
    .filter(({ count }) => count > 0)
    .toSorted(
      (a, b) =>
        a.typeCode - b.typeCode ||
        a.from.userId - b.from.userId ||
        Number(BigInt(a.from.blockId) - BigInt(b.from.blockId)),
    )
    .map(({ typeCode, from, to, count, bytes }) => ({
      scope,
      at,
      ...(since === undefined ? {} : { since }),
      typeCode,
      from,
      to,
      count,
      bytes,
    }));
}

/**
 * Adds blocks to the drafts. A block with some entries outside the export is read to count the others, as the download
 * reads it.
 */
async function addBlocks(
  records: ExportedRecords,
  selection: ExportSelection,
  addToDraft: (block: ListedBlock) => FileDraft,
  blocks: readonly ListedBlock[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const draftOf = new Map<ListedBlock, FileDraft>();
  for (const block of blocks) {
    const draft = addToDraft(block);
    if (!block.isComplete) draftOf.set(block, draft);
  }
  for await (const read of readBlocks(records, [...draftOf.keys()], selection)) {
    signal?.throwIfAborted();
    for (const { block, visible = [] } of read)
      (draftOf.get(block) as FileDraft).count -= block.entryCount - visible.length;
  }
}
