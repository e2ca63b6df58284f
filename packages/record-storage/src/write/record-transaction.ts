import type { Pool, PoolClient, QueryResult } from 'pg';
import { RecordDestroyedError } from '../errors';
import { SerialQueries } from '../postgres/serial-queries';
import { type Cancellation, type Row, type Queryable, type Statement, inTransaction, run } from '../postgres/statement';
import { latestTime, writeTime } from '../schema/snapshot-time';
import { runExclusive } from './record-queue';

/*
 * The concurrency rule, which every writer of a record obeys:
 *
 * 1. A writer appends version n + 1 of a resource only while it holds the lock on the row of the table `resource` that
 *    is the current version n.
 * 2. A resource that never existed or is deleted has no such row. A writer then appends a version only while it holds
 *    the lock on the row of the table `record`. A create under a random id needs no lock: no other writer knows the id.
 * 3. Locks are taken in one order: the row of `record`, then rows of `resource` by type code and id, then rows of
 *    `claimed_id` by id, then rows of `block` by type code and block id.
 * 4. A writer decides on the locked row itself, or on rows that a statement reads after the locks are held. PostgreSQL
 *    gives each statement a snapshot (READ COMMITTED). A statement that waited for a lock sees the latest version of
 *    the locked row, but all other rows as they were when the statement began.
 * 5. The commit timestamp of a writer is later than those of the versions that it supersedes, and than those of their
 *    blocks. A compaction has a commit timestamp, too: snapshots up to it contain the old blocks, which say nothing
 *    about what is superseded afterwards.
 *
 * The writers:
 * - Single writes (write/single-write.ts) lock the current row, whose version must still be the expected one.
 * - Batches and transactions (write/batch-write.ts) lock the record and the current rows, then read the deletions in
 *   `resource_history`.
 * - Conditional interactions write through one of the two, with the version that they expect.
 * - Compaction (maintenance/compact-blocks.ts) appends no version, but moves entries to other blocks. It locks the
 *   record and the current rows, then reads the superseded versions in `resource_history`.
 * - Re-indexing (maintenance/reindex-record.ts) appends no version. It locks the rows of `resource` that it changes, if
 *   they still have the version that it read.
 * - Destruction (maintenance/destroy.ts) locks the record to destroy its key in `fhir_store_keys.record_key`, waits for
 *   the writers that may not see the destruction, and then deletes the rows.
 *
 * `carryOut` in write/batch-write.ts and the primary key of `resource_history` make a write fail that breaks the rule.
 */

/**
 * Begins the writing of a transaction that holds its record's lock (see schema/snapshot-time.ts). Columns: executed_at
 */
const startWriting: Statement = {
  name: 'write-start',
  text: `SELECT ${writeTime} FROM (SELECT ${latestTime} AS s OFFSET 0) c`,
};

/**
 * Takes the shared lock of writers, once per transaction. Returns the lower bound of its commit timestamp in epoch
 * milliseconds (schema/snapshot-time.ts).
 */
export type StartWriting = () => Promise<number>;

export interface RecordTransactionOptions {
  /** Calls `startWriting` in the round trip that takes the lock. */
  readonly writesAtOnce?: boolean;
  /** After it no statement of the work begins. */
  readonly cancellation?: Cancellation | undefined;
}

/**
 * Runs the work in a transaction that holds the lock of the record. The work calls `startWriting` as late as possible:
 * from then on it holds the snapshot time back.
 * @throws RecordDestroyedError, ContentionError if too many transactions wait for the record
 */
export function inRecordTransaction<T>(
  pool: Pool,
  userId: number,
  work: (queries: Queryable, startWriting: StartWriting) => Promise<T>,
  { writesAtOnce = false, cancellation }: RecordTransactionOptions = {},
): Promise<T> {
  return runExclusive(pool, userId, () =>
    inTransaction(pool, async (connection) => {
      let started = await lockRecord(connection, userId, writesAtOnce);
      const queries = new SerialQueries(connection, cancellation);
      try {
        return await work(queries, async () => (started ??= Number((await run(queries, startWriting, []))[0]?.[0])));
      } finally {
        await queries.end();
      }
    }),
  );
}

/**
 * Begins the transaction and locks the record (see the concurrency rule above), all in one round trip: without
 * parameters, as the user id is a whole number.
 * @returns the lower bound of the commit timestamp if the transaction writes at once
 */
async function lockRecord(connection: PoolClient, userId: number, writesAtOnce: boolean): Promise<number | undefined> {
  const text = `BEGIN; SELECT destroyed_at IS NULL FROM fhir_store.record WHERE user_id = ${Math.trunc(userId)} FOR NO KEY UPDATE${writesAtOnce ? `; ${startWriting.text}` : ''}`;
  const results = (await connection.query({ text, rowMode: 'array' })) as unknown as QueryResult<Row>[];
  const [, record, started] = results;
  if (!record?.rows[0]?.[0]) throw new RecordDestroyedError(userId);
  return started && Number(started.rows[0]?.[0]);
}
