import type { Pool } from 'pg';
import type { RecordKeyStore } from '../keys/record-key-store';
import type { BlockPlace, ExportFile, ExportSelection } from './export-file';
import { type FileDraft, type ListedBlock, draftFiles, partialBlocks } from './listed-block';
import { liveLines } from './live-lines';
import { chunksOf, openChunk, readChunk } from './read-blocks';

/** A file ends at the first of these limits that it reaches. */
export interface FileLimits {
  /** Default 100,000. */
  readonly fileResources?: number;
  /** Bytes of NDJSON. Default 100,000,000. */
  readonly fileBytes?: number;
}

/** The files of an export, each with its exact count; without empty ones. */
export async function planExport(pool: Pool, keyStore: RecordKeyStore, selection: ExportSelection & FileLimits): Promise<ExportFile[]> {
  const { scope, at, since, fileResources = 100_000, fileBytes = 100_000_000 } = selection;
  const drafts = await draftFiles(pool, selection, fileResources, fileBytes);
  const left = await linesLeftOut(pool, keyStore, selection, drafts);
  return drafts
    .map(({ kind, from, to, lines, bytes }, i): ExportFile => ({
      scope,
      at,
      ...(since === undefined ? {} : { since }),
      kind,
      from,
      to,
      count: lines - (left[i] as number),
      bytes,
    }))
    .filter((file) => file.count > 0);
}

/** How many lines of each draft's blocks are not in the export: the partial ones are looked into, as the download will do. */
async function linesLeftOut(pool: Pool, keyStore: RecordKeyStore, selection: ExportSelection, drafts: readonly FileDraft[]): Promise<number[]> {
  const left = drafts.map(() => 0);
  const partial = await partialBlocks(pool, selection);
  let draft = 0;
  for (const chunk of chunksOf(partial)) {
    const live = await liveLines(pool, [...openChunk(await readChunk(pool, keyStore, chunk))], selection.at, selection.since);
    for (const [{ block }, lines] of live) {
      while (isBefore(drafts[draft] as FileDraft, block)) draft++;
      left[draft] = (left[draft] as number) + block.lines - lines.length;
    }
  }
  return left;
}

/** Blocks and drafts come in the same order. */
function isBefore(draft: FileDraft, block: ListedBlock): boolean {
  return draft.kind !== block.kind || comparePlaces(draft.to, block) < 0;
}

function comparePlaces(a: BlockPlace, b: BlockPlace): number {
  if (a.userId !== b.userId) return a.userId - b.userId;
  return Number(BigInt(a.blockId) - BigInt(b.blockId));
}
