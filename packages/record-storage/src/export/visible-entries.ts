import type { Pool } from 'pg';
import { splitEntries, unpackEntries } from '../blocks/block-content';
import { type VersionMetadata, readMetadata } from '../blocks/entry';
import { integerArray, smallintArray, uuidArray, wholeNumberArray } from '../postgres/binary-arrays';
import { type Statement, run } from '../postgres/statement';
import type { ReadBlock } from './read-blocks';

/**
 * Which of these versions were superseded before a time. $1 users, $2 type codes, $3 ids, $4 versions, $5 time.
 * The row is found by resource and version, whichever block a compaction has moved the entry to.
 */
const supersededBefore: Statement = {
  name: 'export-superseded',
  text: `
    SELECT w.ordinal::integer
    FROM unnest($1::bigint[], $2::smallint[], $3::uuid[], $4::integer[]) WITH ORDINALITY AS w (user_id, type_code, id, version, ordinal)
    CROSS JOIN LATERAL (
      SELECT superseded_at FROM fhir_store.resource_history
      WHERE user_id = w.user_id AND type_code = w.type_code AND id = w.id AND version = w.version LIMIT 1
    ) v
    WHERE v.superseded_at < $5`,
};

interface Candidate extends VersionMetadata {
  readonly block: ReadBlock;
  readonly entry: Buffer;
}

/**
 * Decrypts blocks that are partly in an export, and returns their visible entries: current at `at`, written after
 * `since` (epoch milliseconds).
 */
export async function visibleEntries(
  pool: Pool,
  blocks: readonly ReadBlock[],
  at: number,
  since: number | undefined,
): Promise<Map<ReadBlock, Buffer[]>> {
  const visible = new Map<ReadBlock, Buffer[]>(blocks.map((block) => [block, []]));
  const candidates = blocks.flatMap(entriesOf).filter((entry) => since === undefined || entry.lastUpdated > since);
  const superseded = await supersededIndexes(pool, candidates, at);
  candidates.forEach(({ block, entry }, i) => {
    if (!superseded.has(i + 1)) visible.get(block)?.push(entry);
  });
  return visible;
}

function entriesOf(block: ReadBlock): Candidate[] {
  return splitEntries(unpackEntries(block.content)).map((entry) => ({
    ...readMetadata(block.block.typeCode, entry),
    block,
    entry,
  }));
}

async function supersededIndexes(pool: Pool, candidates: readonly Candidate[], at: number): Promise<Set<number>> {
  if (candidates.length === 0) return new Set();
  const rows = await run(pool, supersededBefore, [
    wholeNumberArray(candidates.map(({ block }) => block.block.userId)),
    smallintArray(candidates.map(({ block }) => block.block.typeCode)),
    uuidArray(candidates.map(({ id }) => id)),
    integerArray(candidates.map(({ version }) => version)),
    at,
  ]);
  return new Set(rows.map(([index]) => index as number));
}
