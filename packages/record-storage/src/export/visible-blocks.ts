import type { ExportScope } from './export-file';

/** SQL for the blocks `b` of a scope whose value is this placeholder. */
export function blocksOfScope(scope: ExportScope, placeholder: string): string {
  return 'userId' in scope
    ? `fhir_store.block b WHERE b.user_id = ${placeholder}`
    : `fhir_store.record u JOIN fhir_store.block b ON b.user_id = u.user_id WHERE u.client_id = ${placeholder} AND u.destroyed_at IS NULL`;
}

/**
 * SQL: whether a block `b` may contain an entry that is visible at the snapshot. Blocks that were written later or
 * replaced earlier are not part of the snapshot. Skips blocks that contain no visible entry: history blocks, blocks
 * whose only entry was superseded, and blocks older than `since`. No entry is written after its block.
 */
export function visibleAt(at: string, since: string | undefined): string {
  const visible = `
    NOT b.history AND b.written_at < ${at} AND (b.retired_at IS NULL OR b.retired_at >= ${at})
    AND (b.entry_count > 1 OR b.first_superseded_at IS NULL OR b.first_superseded_at >= ${at})`;
  return since === undefined ? visible : `${visible} AND b.max_last_updated > ${since}`;
}

/**
 * SQL: whether every entry of the block `b` is in the export: none superseded before the snapshot, none older than
 * `since`.
 */
export function completeAt(at: string, since: string | undefined): string {
  const isComplete = `(b.first_superseded_at IS NULL OR b.first_superseded_at >= ${at})`;
  return since === undefined ? isComplete : `(${isComplete} AND b.min_last_updated > ${since})`;
}
