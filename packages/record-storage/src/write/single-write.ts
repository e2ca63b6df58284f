import { INDEX_VERSION } from '@tributary/fhir-search';
import { type VersionMetadata, renderEntry } from '../blocks/entry';
import { sealBlock } from '../blocks/block-packing';
import { ContentionError, MUST_NOT_EXIST, RecordDestroyedError, VersionConflictError } from '../errors';
import { blindValues } from '../index-values/blinding';
import type { RecordKeys } from '../keys/record-keys';
import type { ResourceKey, ResourceVersion } from '../resource-key';
import type { TypeCode } from '../type-codes';
import { bigintArray } from '../postgres/binary-arrays';
import { type Row, type Statement, type Queryable, isUniqueViolation, run } from '../postgres/statement';
import { KEEP_SOURCE, type NewContent, type WrittenVersion, sourceHashOf } from './content';
import { latestTime, writeTime } from '../schema/snapshot-time';
import { type CommitTimestampAllocator, MAX_SKEW_MS, waitOutLead } from './commit-timestamps';

const ATTEMPTS = 50;

/** The latest version of a resource, without content. */
interface LatestVersion {
  readonly version: number;
  /** The next version must be later than this time, in epoch milliseconds (write/record-transaction.ts, rule 5). */
  readonly after: number;
  readonly deleted: boolean;
  readonly sourceHash: bigint | null;
}

/**
 * When the statement is executed (see schema/snapshot-time.ts), and whether the record accepts writes. A write writes
 * nothing and reports so if the record is destroyed, if its commit timestamp is before its execution, or if it is far
 * after it, which means that the clock of a host is wrong. $1 user, $2 commit timestamp.
 */
const gate = (isNear: string): string => `
  moment AS MATERIALIZED (
    SELECT ${writeTime} AS executed_at, live
    FROM (SELECT ${latestTime} AS s, destroyed_at IS NULL AS live FROM fhir_store.record WHERE user_id = $1 OFFSET 0) c
  ),
  gate AS MATERIALIZED (SELECT executed_at FROM moment WHERE live AND executed_at <= $2::bigint AND ${isNear})`;

/**
 * The current version, locked (see the concurrency rule in record-transaction.ts), if it is the expected one ($5).
 * Because of the condition on its block, a write that waited for a compaction finds nothing and is sent again: the new
 * block is not visible to this statement, so the statement could not mark it. PostgreSQL checks the condition again
 * after the wait, and not that of the subquery. Only a version whose predecessor, or its block, has a timestamp in the
 * future may have one far ahead.
 */
const current = `
  current AS MATERIALIZED (
    SELECT r.version, r.last_updated, r.block_id, r.slot
    FROM gate, fhir_store.resource r
    CROSS JOIN LATERAL (
      SELECT block_id, written_at FROM fhir_store.block WHERE user_id = $1 AND type_code = $3 AND block_id = r.block_id LIMIT 1
    ) b
    WHERE r.user_id = $1 AND r.type_code = $3 AND r.id = $4 AND r.version = $5 AND greatest(r.last_updated, b.written_at) < $2::bigint
      AND b.block_id = r.block_id
      AND $2::bigint <= greatest(gate.executed_at + ${MAX_SKEW_MS}, r.last_updated + 1, b.written_at + 1)
    FOR UPDATE OF r
  ),
  superseded AS (
    INSERT INTO fhir_store.resource_history (user_id, type_code, id, version, last_updated, superseded_at, block_id, slot, deleted)
    SELECT $1, $3, $4, version, last_updated, $2, block_id, slot, false FROM current
  ),
  marked AS (
    UPDATE fhir_store.block b SET first_superseded_at = $2
    WHERE b.user_id = $1 AND b.type_code = $3 AND b.block_id = (SELECT block_id FROM current)
      AND (b.first_superseded_at IS NULL OR b.first_superseded_at > $2::bigint)
  )`;

/** Columns of the result: executed_at, live, whether it was written. */
const result = (written: string): string => `SELECT executed_at, live, EXISTS (SELECT FROM ${written}) FROM moment`;

/**
 * $1 user, $2 time, $3 type code, $4 id, $5 block, $6 length of the entry, $7 content, $8 terms, $9 ranges, $10 source
 * hash
 */
export const insertResource: Statement = {
  isOfUser: true,
  name: 'resource-create',
  text: `WITH ${gate(`$2::bigint <= executed_at + ${MAX_SKEW_MS}`)},
  new_block AS (
    INSERT INTO fhir_store.block (user_id, type_code, block_id, entry_count, plain_bytes, written_at, min_last_updated, max_last_updated, content)
    SELECT $1, $3, $5, 1, $6, $2, $2, $2, $7 FROM gate
  ),
  created AS (
    INSERT INTO fhir_store.resource (user_id, type_code, id, version, last_updated, block_id, slot, blind_terms, ranges, source_hash, index_version)
    SELECT $1, $3, $4, 1, $2, $5, 0, $8, $9, $10, ${INDEX_VERSION} FROM gate RETURNING 1
  )
  ${result('created')}`,
};

/**
 * $1 user, $2 time, $3 type code, $4 id, $5 expected version, $6 block, $7 length of the entry, $8 content, $9 terms,
 * $10 ranges, $11 source hash
 */
const replaceResource: Statement = {
  isOfUser: true,
  name: 'resource-update',
  text: `WITH ${gate('true')}, ${current},
  new_block AS (
    INSERT INTO fhir_store.block (user_id, type_code, block_id, entry_count, plain_bytes, written_at, min_last_updated, max_last_updated, content)
    SELECT $1, $3, $6, 1, $7, $2, $2, $2, $8 FROM current
  ),
  updated AS (
    UPDATE fhir_store.resource r
    SET version = $5 + 1, last_updated = $2, block_id = $6, slot = 0, blind_terms = $9, ranges = $10, source_hash = $11, index_version = ${INDEX_VERSION}
    FROM current WHERE r.user_id = $1 AND r.type_code = $3 AND r.id = $4 RETURNING 1
  )
  ${result('updated')}`,
};

/** $1 user, $2 time, $3 type code, $4 id, $5 expected version */
export const removeResource: Statement = {
  isOfUser: true,
  name: 'resource-delete',
  text: `WITH ${gate('true')}, ${current},
  tombstone AS (
    INSERT INTO fhir_store.resource_history (user_id, type_code, id, version, last_updated, deleted)
    SELECT $1, $3, $4, $5 + 1, $2, true FROM current
  ),
  deleted AS (
    DELETE FROM fhir_store.resource r USING current WHERE r.user_id = $1 AND r.type_code = $3 AND r.id = $4 RETURNING 1
  )
  ${result('deleted')}`,
};

/**
 * The latest version of a resource, deleted or not. $1 user, $2 type code, $3 id. Columns: version, the time that the
 * next version must be later than, deleted, source_hash
 */
const findLatestVersion: Statement = {
  isOfUser: true,
  name: 'resource-latest',
  text: `
    SELECT r.version, greatest(r.last_updated, (
        SELECT b.written_at FROM fhir_store.block b WHERE b.user_id = $1 AND b.type_code = $2 AND b.block_id = r.block_id
      )), false AS deleted, r.source_hash
    FROM fhir_store.resource r
    WHERE r.user_id = $1 AND r.type_code = $2 AND r.id = $3
    UNION ALL
    SELECT version, last_updated, true, NULL FROM fhir_store.resource_history
    WHERE user_id = $1 AND type_code = $2 AND id = $3 AND deleted AND superseded_at IS NULL`,
};

/** The keys of a record and what its single writes run on. */
export interface SingleWriter {
  readonly keys: RecordKeys;
  readonly reads: Queryable;
  readonly writes: Queryable;
  readonly timestamps: CommitTimestampAllocator;
}

/**
 * Stores a resource under a fresh id, as version 1.
 * @throws RecordDestroyedError, ContentionError
 */
export async function createResource(
  writer: SingleWriter,
  typeCode: TypeCode,
  id: string,
  content: NewContent,
): Promise<WrittenVersion> {
  const index = indexParameters(writer.keys, content, null);
  let json: Buffer = Buffer.alloc(0);
  for (let attempt = 0, after = 0; attempt < ATTEMPTS; attempt++) {
    const { written, executedAt, at } = await send(writer, insertResource, after, (time) => {
      json = render(typeCode, { id, version: 1, lastUpdated: time }, content);
      return [typeCode, id, ...blockParameters(writer.keys, typeCode, json, time), ...index];
    });
    if (written) return { typeCode, id, version: 1, lastUpdated: at, json };
    after = executedAt;
  }
  throw new ContentionError();
}

/**
 * Stores the next version of an existing resource.
 * @returns undefined if there is no current version
 * @throws VersionConflictError if the current version is not the expected one, RecordDestroyedError, ContentionError
 */
export async function updateResource(
  writer: SingleWriter,
  typeCode: TypeCode,
  id: string,
  content: NewContent,
  expected: number | undefined,
): Promise<WrittenVersion | undefined> {
  let json: Buffer = Buffer.alloc(0);
  const assumed = content.source === KEEP_SOURCE ? undefined : assumedVersion(expected);
  const updated = await replace(writer, replaceResource, { typeCode, id }, expected, assumed, (latest, at) => {
    json = render(typeCode, { id, version: latest.version + 1, lastUpdated: at }, content);
    return [
      ...blockParameters(writer.keys, typeCode, json, at),
      ...indexParameters(writer.keys, content, latest.sourceHash),
    ];
  });
  return updated && { typeCode, id, ...updated, json };
}

/**
 * Deletes a resource; its versions stay.
 * @returns undefined if there is no current version
 * @throws VersionConflictError if the current version is not the expected one, RecordDestroyedError, ContentionError
 */
export async function deleteResource(
  writer: SingleWriter,
  typeCode: TypeCode,
  id: string,
  expected: number | undefined,
): Promise<Replacement | undefined> {
  const deleted = await replace(writer, removeResource, { typeCode, id }, expected, assumedVersion(expected), () => []);
  if (!deleted && expected !== undefined && expected !== MUST_NOT_EXIST)
    throw new VersionConflictError(typeCode, id, expected, undefined);
  return deleted;
}

/** The version that follows another one. */
type Replacement = Pick<ResourceVersion, 'version' | 'lastUpdated'>;

/**
 * Replaces the current version of a resource.
 * @param assumed the current version as the first attempt assumes it, which does not read it
 * @param parameters $6 and later of the statement, for the version that is replaced and the commit timestamp
 * @returns undefined if there is no current version
 */
async function replace(
  writer: SingleWriter,
  statement: Statement,
  { typeCode, id }: ResourceKey,
  expected: number | undefined,
  assumed: LatestVersion | undefined,
  parameters: (latest: LatestVersion, at: number) => unknown[],
): Promise<Replacement | undefined> {
  for (let attempt = 0, after = 0; attempt < ATTEMPTS; attempt++) {
    const latest = (attempt === 0 && assumed) || (await findLatest(writer, typeCode, id));
    if (!latest || latest.deleted) return undefined;
    if (expected !== undefined && expected !== latest.version)
      throw new VersionConflictError(typeCode, id, expected, latest.version);
    const { written, executedAt, at } = await send(writer, statement, Math.max(after, latest.after), (time) => [
      typeCode,
      id,
      latest.version,
      ...parameters(latest, time),
    ]);
    if (written) return { version: latest.version + 1, lastUpdated: at };
    after = executedAt;
  }
  throw new ContentionError();
}

/** The latest version of a resource, which may be a deletion; undefined if there never was one. */
async function findLatest(
  { reads, keys }: SingleWriter,
  typeCode: TypeCode,
  id: string,
): Promise<LatestVersion | undefined> {
  const [row] = await run(reads, findLatestVersion, [keys.userId, typeCode, id]);
  if (!row) return undefined;
  const [version, after, deleted, sourceHash] = row;
  return {
    version: version as number,
    after: Number(after),
    deleted: deleted as boolean,
    sourceHash: sourceHash === null ? null : BigInt(sourceHash as string),
  };
}

/**
 * Sends a statement with a commit timestamp that is allocated immediately before. A statement that is executed later
 * than its timestamp writes nothing; the caller sends it again with a timestamp after `executedAt`.
 */
async function send(
  { keys, writes, timestamps }: SingleWriter,
  statement: Statement,
  after: number,
  parameters: (at: number) => unknown[],
): Promise<{ written: boolean; executedAt: number; at: number }> {
  if (!timestamps.isSynchronized) await timestamps.synchronize(writes);
  const { at, allocatedAt } = timestamps.allocate(after);
  const row = await runUnlessDuplicate(writes, statement, [keys.userId, at, ...parameters(at)]);
  if (!row) return { written: false, executedAt: after, at };
  const [executedAt, live, written] = row;
  if (!live) throw new RecordDestroyedError(keys.userId);
  timestamps.observe({ at, allocatedAt, executedAt: Number(executedAt) });
  if (written) await waitOutLead(writes, { at, executedAt: Number(executedAt) });
  return { written: written as boolean, executedAt: Number(executedAt), at };
}

/** @returns undefined if another process generated the same block id in the same millisecond */
async function runUnlessDuplicate(
  writes: Queryable,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row | undefined> {
  try {
    return (await run(writes, statement, values))[0] ?? [0, false, false];
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

function render(typeCode: TypeCode, metadata: VersionMetadata, content: NewContent): Buffer {
  return Buffer.from(renderEntry(typeCode, metadata, content.body), 'utf8');
}

function indexParameters(keys: RecordKeys, content: NewContent, storedSourceHash: bigint | null): unknown[] {
  const { terms, ranges } = blindValues(keys, content.index);
  return [
    bigintArray(terms),
    ranges.length > 0 ? bigintArray(ranges) : null,
    sourceHashOf(keys, content.source, storedSourceHash),
  ];
}

function blockParameters(keys: RecordKeys, typeCode: TypeCode, json: Buffer, at: number): unknown[] {
  const block = sealBlock(keys, typeCode, [json], at);
  return [block.blockId, block.plainBytes, block.content];
}

/** The expected version is usually the current one, so the first attempt writes without reading it. */
function assumedVersion(expected: number | undefined): LatestVersion | undefined {
  return expected !== undefined && expected !== MUST_NOT_EXIST
    ? { version: expected, after: 0, deleted: false, sourceHash: null }
    : undefined;
}
