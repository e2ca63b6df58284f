import { INDEX_VERSION } from '@tributary/fhir-search';
import type { Pool } from 'pg';
import { attachObjects } from '../content-objects/content-objects';
import { ContentionError } from '../errors';
import { keyText } from '../resource-key';
import type { RecordKeys } from '../keys/record-keys';
import { bigintArray, smallintArray } from '../postgres/binary-arrays';
import { type Statement, type Queryable, affectedRows, isUniqueViolation, run } from '../postgres/statement';
import { keyParameters } from '../read/read';
import { RecordReader } from '../read/record-reader';
import {
  blockParameters,
  currentVersion,
  deletedVersion,
  rowParameters,
  supersededParameters,
  versionParameters,
} from './batch-parameters';
import { type BatchPlan, type Change, type ChangeOutcome, type LockedVersion, planBatch } from './batch-plan';
import { claimClientAssignedIds } from './claim-ids';
import { type RecordTransactionOptions, type StartWriting, inRecordTransaction } from './record-transaction';
import { type WriteTimestamps, waitOutLead } from './commit-timestamps';

/**
 * The current versions of those resources that exist, locked in the order of their keys. $1 user, $2 type codes, $3
 * ids. The lateral subquery looks each key up by the primary key, in the order of the sorted keys. As a join,
 * PostgreSQL may read every row of the user instead. Columns: type_code, id, version, last_updated, source_hash,
 * block_id, slot
 */
const lockCurrent: Statement = {
  name: 'batch-lock',
  text: `
    SELECT r.type_code, r.id, r.version, r.last_updated, r.source_hash, r.block_id, r.slot
    FROM (SELECT type_code, id FROM unnest($2::smallint[], $3::uuid[]) AS w (type_code, id) ORDER BY type_code, id) w
    CROSS JOIN LATERAL (
      SELECT type_code, id, version, last_updated, source_hash, block_id, slot FROM fhir_store.resource
      WHERE user_id = $1 AND type_code = w.type_code AND id = w.id FOR UPDATE
    ) r`,
};

/**
 * The last versions of resources that have no current one. It is executed after `lockCurrent`, as a separate statement:
 * `lockCurrent` may have waited for a deletion, which its own snapshot does not contain. $1 user, $2 type codes, $3
 * ids. Columns: type_code, id, version, last_updated, whether it is a deletion that is not superseded
 */
const findDeletions: Statement = {
  name: 'batch-deletions',
  text: `
    SELECT w.type_code, w.id, v.version, v.last_updated, v.in_force
    FROM unnest($2::smallint[], $3::uuid[]) AS w (type_code, id)
    CROSS JOIN LATERAL (
      SELECT version, last_updated, deleted AND superseded_at IS NULL AS in_force FROM fhir_store.resource_history
      WHERE user_id = $1 AND type_code = w.type_code AND id = w.id ORDER BY version DESC LIMIT 1
    ) v`,
};

/** The latest time at which one of these blocks was written. $1 user, $2 type codes, $3 block ids */
const findWrittenAt: Statement = {
  name: 'batch-written-at',
  text: `
    SELECT max(b.written_at) FROM unnest($2::smallint[], $3::bigint[]) AS w (type_code, block_id)
    CROSS JOIN LATERAL (
      SELECT written_at FROM fhir_store.block WHERE user_id = $1 AND type_code = w.type_code AND block_id = w.block_id LIMIT 1
    ) b`,
};

/**
 * New blocks, and the index rows of their entries. Terms and ranges are one flat array each, with the first and last
 * index of each row. $1 user, $2 time, $3–$7 of the blocks, $8–$19 of the rows. It writes fewer rows than given if one
 * of them does not follow the stored version.
 */
const writeResources: Statement = {
  name: 'batch-write',
  text: `
    WITH new_blocks AS (
      INSERT INTO fhir_store.block (user_id, type_code, block_id, entry_count, plain_bytes, written_at, min_last_updated, max_last_updated, content)
      SELECT $1, type_code, block_id, entry_count, plain_bytes, $2, $2, $2, content
      FROM unnest($3::smallint[], $4::bigint[], $5::smallint[], $6::integer[], $7::bytea[]) AS b (type_code, block_id, entry_count, plain_bytes, content)
    )
    INSERT INTO fhir_store.resource AS r (user_id, type_code, id, version, last_updated, block_id, slot, source_hash, index_version, blind_terms, ranges)
    SELECT $1, type_code, id, version, $2, block_id, slot, source_hash, ${INDEX_VERSION},
      ($14::bigint[])[terms_from:terms_to], CASE WHEN ranges_to >= ranges_from THEN ($17::bigint[])[ranges_from:ranges_to] END
    FROM unnest($8::smallint[], $9::uuid[], $10::integer[], $11::bigint[], $12::smallint[], $13::bigint[], $15::integer[], $16::integer[], $18::integer[], $19::integer[])
      AS n (type_code, id, version, block_id, slot, source_hash, terms_from, terms_to, ranges_from, ranges_to)
    ON CONFLICT (user_id, type_code, id) DO UPDATE SET version = excluded.version, last_updated = excluded.last_updated, block_id = excluded.block_id,
      slot = excluded.slot, source_hash = excluded.source_hash, index_version = excluded.index_version, blind_terms = excluded.blind_terms, ranges = excluded.ranges
    WHERE r.version = excluded.version - 1`,
};

/** Keeps the versions that the batch supersedes, and marks their blocks. $1 user, $2 time, $3–$8 of the versions */
const keepSuperseded: Statement = {
  name: 'batch-supersede',
  text: `
    WITH old AS MATERIALIZED (
      SELECT * FROM unnest($3::smallint[], $4::uuid[], $5::integer[], $6::bigint[], $7::bigint[], $8::smallint[])
        AS o (type_code, id, version, last_updated, block_id, slot)
    ),
    kept AS (
      INSERT INTO fhir_store.resource_history (user_id, type_code, id, version, last_updated, superseded_at, block_id, slot, deleted)
      SELECT $1, type_code, id, version, last_updated, $2, block_id, slot, false FROM old
    ),
    touched AS MATERIALIZED (
      SELECT b.type_code, b.block_id FROM fhir_store.block b
      WHERE b.user_id = $1 AND b.type_code = ANY ($3) AND b.block_id = ANY ($7)
        AND (b.type_code, b.block_id) IN (SELECT type_code, block_id FROM old)
        AND (b.first_superseded_at IS NULL OR b.first_superseded_at > $2::bigint)
      ORDER BY b.type_code, b.block_id FOR UPDATE
    )
    UPDATE fhir_store.block b SET first_superseded_at = $2 FROM touched t
    WHERE b.user_id = $1 AND b.type_code = ANY ($3) AND b.block_id = ANY ($7) AND b.type_code = t.type_code AND b.block_id = t.block_id`,
};

/** $1 user, $2 time, $3 type codes, $4 ids, $5 versions of the deletions */
const deleteResources: Statement = {
  name: 'batch-delete',
  text: `
    WITH gone AS MATERIALIZED (SELECT * FROM unnest($3::smallint[], $4::uuid[], $5::integer[]) AS g (type_code, id, version)),
    tombstones AS (
      INSERT INTO fhir_store.resource_history (user_id, type_code, id, version, last_updated, deleted) SELECT $1, type_code, id, version, $2, true FROM gone
    )
    DELETE FROM fhir_store.resource r USING gone
    WHERE r.user_id = $1 AND r.type_code = ANY ($3) AND r.id = ANY ($4)
      AND r.type_code = gone.type_code AND r.id = gone.id AND r.version = gone.version - 1`,
};

/**
 * Supersedes the deletions of restored resources. $1 user, $2 time, $3 type codes, $4 ids, $5 versions of the deletions
 */
const supersedeDeletions: Statement = {
  name: 'batch-restore',
  text: `
    UPDATE fhir_store.resource_history v SET superseded_at = $2 FROM unnest($3::smallint[], $4::uuid[], $5::integer[]) AS d (type_code, id, version)
    WHERE v.user_id = $1 AND v.type_code = ANY ($3) AND v.id = ANY ($4) AND v.type_code = d.type_code AND v.id = d.id AND v.version = d.version AND v.deleted AND v.superseded_at IS NULL`,
};

const ATTEMPTS = 5;

/**
 * A record within a transaction that holds its lock. Reads return what is committed and what the transaction has
 * written. Other writers that take the lock wait; single writes do not take it, so a write that depends on a read names
 * the version that it expects.
 */
export class LockedRecord extends RecordReader {
  /** The timestamps of what the transaction wrote; undefined before its write. */
  timestamps?: WriteTimestamps;

  constructor(
    private readonly keys: RecordKeys,
    private readonly queries: Queryable,
    private readonly startWriting: StartWriting,
  ) {
    super();
  }

  protected override existingKeys(): Promise<RecordKeys> {
    return Promise.resolve(this.keys);
  }

  protected override queryableFor(): Queryable {
    return this.queries;
  }

  /** Whether it was known to be current when the transaction began. Executes no statement. */
  override isIndexCurrent(): Promise<boolean> {
    return Promise.resolve(this.keys.indexVersion === INDEX_VERSION);
  }

  /**
   * Carries out changes; each resource may be named once. To be called once in a transaction.
   * @throws VersionConflictError, IdNotAvailableError, RangeError for a resource that is named twice
   */
  async write(
    changes: readonly Change[],
    { returnJson = false }: { returnJson?: boolean } = {},
  ): Promise<ChangeOutcome[]> {
    if (new Set(changes.map(keyText)).size < changes.length)
      throw new RangeError('a batch may change each resource once');
    if (changes.length === 0) return [];
    const { keys, queries } = this;
    const locked = await lockVersions(queries, keys.userId, changes);
    const clientAssigned = changes.filter(
      (change) => !change.delete && change.isClientAssignedId && !locked.has(keyText(change)),
    );
    await claimClientAssignedIds(
      queries,
      keys.userId,
      clientAssigned.map(({ id }) => id),
    );
    const executedAt = await this.startWriting();
    const at = Math.max(executedAt, (await latestTimeOf(queries, keys.userId, [...locked.values()])) + 1);
    this.timestamps = { at, executedAt };
    const plan = planBatch(keys, changes, locked, at, returnJson);
    await attachObjects(queries, keys, plan.rows);
    await carryOut(queries, keys, plan, at);
    return plan.outcomes;
  }
}

/**
 * Runs work that reads and then writes while it holds the lock of the record. The work may be run again. Obeys the
 * concurrency rule in record-transaction.ts.
 * @throws RecordDestroyedError, ContentionError, the reason of the cancellation, and what the work throws; nothing is
 *   written then
 */
export async function runTransaction<T>(
  pool: Pool,
  keys: RecordKeys,
  work: (record: LockedRecord) => Promise<T>,
  options: RecordTransactionOptions,
): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let record = undefined as LockedRecord | undefined;
    try {
      const result = await inRecordTransaction(
        pool,
        keys.userId,
        (queries, startWriting) => work((record = new LockedRecord(keys, queries, startWriting))),
        options,
      );
      if (record?.timestamps) await waitOutLead(pool, record.timestamps);
      return result;
    } catch (error) {
      // Another process generated the same block id, or a row is not the one that the plan was made for: plan again.
      if (!isUniqueViolation(error) && !(error instanceof ContentionError)) throw error;
    }
  }
  throw new ContentionError();
}

/** The latest commit timestamp among the versions and their blocks, in epoch milliseconds; 0 without versions. */
async function latestTimeOf(queryable: Queryable, userId: number, versions: readonly LockedVersion[]): Promise<number> {
  const latest = versions.reduce((time, { lastUpdated }) => Math.max(time, lastUpdated), 0);
  const current = versions.filter((version) => !version.deleted);
  if (current.length === 0) return latest;
  const [row] = await run(queryable, findWrittenAt, [
    userId,
    smallintArray(current.map(({ typeCode }) => typeCode)),
    bigintArray(current.map(({ blockId }) => blockId)),
  ]);
  return Math.max(latest, Number(row?.[0]));
}

/** The latest versions of the resources; the current ones are locked. */
async function lockVersions(
  queryable: Queryable,
  userId: number,
  changes: readonly Change[],
): Promise<Map<string, LockedVersion>> {
  const locked = new Map<string, LockedVersion>();
  for (const row of await run(queryable, lockCurrent, keyParameters(userId, changes))) {
    const version = currentVersion(row);
    locked.set(keyText(version), version);
  }
  const absent = changes.filter(({ typeCode, id }) => !locked.has(keyText({ typeCode, id })));
  if (absent.length === 0) return locked;
  for (const row of await run(queryable, findDeletions, keyParameters(userId, absent))) {
    const version = deletedVersion(row);
    locked.set(keyText(version), version);
  }
  return locked;
}

/**
 * Executes a plan.
 * @throws ContentionError if a statement does not find every row as it was planned for: the transaction is rolled
 *   back then
 */
async function carryOut(queryable: Queryable, keys: RecordKeys, plan: BatchPlan, at: number): Promise<void> {
  const userAndTime = [keys.userId, at];
  const change = async (statement: Statement, rows: readonly unknown[], parameters: () => unknown[]): Promise<void> => {
    if (rows.length === 0) return;
    const affected = await affectedRows(queryable, statement, [...userAndTime, ...parameters()]);
    if (affected !== rows.length) throw new ContentionError();
  };
  await change(supersedeDeletions, plan.restored, () => versionParameters(plan.restored));
  if (plan.superseded.length > 0)
    await run(queryable, keepSuperseded, [...userAndTime, ...supersededParameters(plan.superseded)]);
  await change(deleteResources, plan.deletions, () => versionParameters(plan.deletions));
  await change(writeResources, plan.rows, () => [...blockParameters(plan.blocks), ...rowParameters(keys, plan.rows)]);
}
