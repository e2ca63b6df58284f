import type { ExportScope } from './export-file';

/** The blocks `b` of the scope, which stands at this place among the parameters. */
export function blocksOfScope(scope: ExportScope, placeholder: string): string {
  return 'userId' in scope
    ? `fhir_store.block b WHERE b.user_id = ${placeholder}`
    : `fhir_store.record u JOIN fhir_store.block b ON b.user_id = u.user_id WHERE u.client_id = ${placeholder} AND u.destroyed_at IS NULL`;
}

/**
 * The blocks `b` that make up the store as of a time: written before it, and not yet replaced then by a merge. Blocks
 * of which nothing can be in the export are left out: made of superseded lines, or of a single one, or too old.
 * No line of a block is written after the block itself.
 */
export function visibleAt(at: string, since: string | undefined): string {
  const visible = `
    NOT b.history AND b.written_at < ${at} AND (b.retired_at IS NULL OR b.retired_at >= ${at})
    AND (b.entry_count > 1 OR b.first_superseded_at IS NULL OR b.first_superseded_at >= ${at})`;
  return since === undefined ? visible : `${visible} AND b.max_last_updated > ${since}`;
}

/** Whether every line of the block `b` is in the export: none superseded by then, none too old. */
export function completeAt(at: string, since: string | undefined): string {
  const isComplete = `(b.first_superseded_at IS NULL OR b.first_superseded_at >= ${at})`;
  return since === undefined ? isComplete : `(${isComplete} AND b.min_last_updated > ${since})`;
}
