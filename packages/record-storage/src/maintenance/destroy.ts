import { setTimeout as sleep } from 'node:timers/promises';
import { type ObjectStorage, ObjectStorageError } from '@tributary/object-storage';
import type { Pool } from 'pg';
import { type Statement, databaseClock, run } from '../postgres/statement';
import { deleteObjectsOf } from './delete-objects';

/**
 * Destroys keys, after which writes are refused. The rows of both tables stay as tombstones. The statement locks the
 * row of `record` first, as the creation of a record does, and users in ascending order, so that concurrent
 * destructions do not deadlock. $1 users
 */
const destroyKeys: Statement = {
  name: 'destroy-key',
  text: `
    WITH destroyed AS (
      INSERT INTO fhir_store.record AS r (user_id, created_at, destroyed_at)
      SELECT user_id, ${databaseClock}, ${databaseClock} FROM (SELECT DISTINCT unnest($1::bigint[]) AS user_id ORDER BY 1) u
      ON CONFLICT (user_id) DO UPDATE SET destroyed_at = coalesce(r.destroyed_at, excluded.destroyed_at)
      RETURNING user_id, created_at, destroyed_at
    )
    INSERT INTO fhir_store_keys.record_key AS k (user_id, created_at, destroyed_at) SELECT user_id, created_at, destroyed_at FROM destroyed
    ON CONFLICT (user_id) DO UPDATE SET wrapped_key = NULL, destroyed_at = coalesce(k.destroyed_at, excluded.destroyed_at)`,
};

/**
 * The transactions that currently write to tables of records. PostgreSQL locks the table of a statement before it takes
 * the statement's snapshot, so a statement that locks the table later sees everything that is committed now. Columns:
 * virtualtransaction
 */
const findWriters: Statement = {
  name: 'destroy-writers',
  text: `
    SELECT DISTINCT virtualtransaction FROM pg_locks
    WHERE locktype = 'relation' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND relation IN (SELECT oid FROM pg_class WHERE relnamespace = 'fhir_store'::regnamespace AND relkind IN ('r', 'p'))
      AND mode = 'RowExclusiveLock' AND granted`,
};

/** Destroyed records after a user whose rows may still be there. $1 user before, $2 limit */
const findUnfinished: Statement = {
  name: 'destroy-unfinished',
  text: `SELECT user_id FROM fhir_store.record WHERE destroyed_at IS NOT NULL AND purged_at IS NULL AND user_id > $1 ORDER BY user_id LIMIT $2`,
};

/**
 * Destroys the records whose keys are marked as destroyed, but which a restored backup has as live or does not have.
 */
const adoptFromKeys: Statement = {
  name: 'destroy-adopt-from-keys',
  text: `
    INSERT INTO fhir_store.record AS r (user_id, created_at, destroyed_at)
    SELECT k.user_id, k.created_at, k.destroyed_at FROM fhir_store_keys.record_key k
    WHERE k.destroyed_at IS NOT NULL AND NOT EXISTS (SELECT FROM fhir_store.record d WHERE d.user_id = k.user_id AND d.destroyed_at IS NOT NULL)
    ORDER BY k.user_id
    ON CONFLICT (user_id) DO UPDATE SET destroyed_at = coalesce(r.destroyed_at, excluded.destroyed_at)`,
};

/** Destroys the keys that a restored backup contains again, and adds tombstones for those that it does not contain. */
const adoptFromRecords: Statement = {
  name: 'destroy-adopt-from-records',
  text: `
    INSERT INTO fhir_store_keys.record_key AS k (user_id, created_at, destroyed_at)
    SELECT r.user_id, r.created_at, r.destroyed_at FROM fhir_store.record r
    WHERE r.destroyed_at IS NOT NULL AND NOT EXISTS (SELECT FROM fhir_store_keys.record_key d WHERE d.user_id = r.user_id AND d.destroyed_at IS NOT NULL)
    ORDER BY r.user_id
    ON CONFLICT (user_id) DO UPDATE SET wrapped_key = NULL, destroyed_at = coalesce(k.destroyed_at, excluded.destroyed_at)`,
};

/** Destroyed records after a user. $1 user before, $2 limit */
const listDestroyed: Statement = {
  name: 'destroy-list',
  text: `
    SELECT user_id, destroyed_at FROM fhir_store_keys.record_key
    WHERE destroyed_at IS NOT NULL AND user_id > $1 ORDER BY user_id LIMIT $2`,
};

/** The maximum of rows that one statement deletes, so that it stays within its time limit. */
const ROWS_PER_STATEMENT = 5000;

interface RowsOfUser {
  /** Whether the user has rows in the table. $1 user */
  readonly exist: Statement;
  /** Deletes a limited number of them. $1 user */
  readonly deleteSome: Statement;
}

const rowsOfUser = (table: string, key: string): RowsOfUser => ({
  exist: { name: `destroy-any-${table}`, text: `SELECT EXISTS (SELECT FROM fhir_store.${table} WHERE user_id = $1)` },
  deleteSome: {
    name: `destroy-${table}`,
    text: `
      DELETE FROM fhir_store.${table} WHERE user_id = $1
        AND (${key}) IN (SELECT ${key} FROM fhir_store.${table} WHERE user_id = $1 LIMIT ${ROWS_PER_STATEMENT})`,
  },
});
const tablesOfRecords = [
  rowsOfUser('resource', 'type_code, id'),
  rowsOfUser('resource_history', 'type_code, id, version'),
  rowsOfUser('block', 'type_code, block_id'),
  rowsOfUser('claimed_id', 'id'),
];
/** Which users have objects of versions. $1 users */
const findOwnersOfObjects: Statement = {
  name: 'destroy-object-owners',
  text: `SELECT DISTINCT user_id FROM fhir_store.content_object WHERE user_id = ANY ($1::bigint[]) AND attached`,
};
const markPurged: Statement = {
  name: 'destroy-purged',
  text: `UPDATE fhir_store.record SET purged_at = ${databaseClock}, health_systems = NULL WHERE user_id = ANY ($1::bigint[]) AND destroyed_at IS NOT NULL`,
};

const MAX_WAIT_MS = 5000;
const POLL_INTERVAL_MS = 5;

/** A record whose key was destroyed, and when: epoch milliseconds. */
export interface DestroyedRecord {
  readonly userId: number;
  readonly destroyedAt: number;
}

/** Deletes the rows of these users in tables of other modules. Must be idempotent. */
export type DeleteDependentRows = (userIds: readonly number[]) => Promise<unknown>;

/**
 * Destroys the keys of records. Writes that begin after the commit are refused. Only processes with the key in memory
 * can still read, until the rows are deleted. Idempotent.
 */
export async function destroyKeysOf(pool: Pool, userIds: readonly number[]): Promise<void> {
  await run(pool, destroyKeys, [userIds]);
}

/**
 * Destroys in both schemas what is marked as destroyed in one of them. They differ after one of them was restored from
 * a backup, or both from backups of different times.
 */
export async function reconcileDestroyed(pool: Pool): Promise<void> {
  await run(pool, adoptFromKeys, []);
  await run(pool, adoptFromRecords, []);
}

/** Destroyed records after a user whose rows may still be there, as after a crash. */
export async function unfinishedDestructions(pool: Pool, after: number, limit: number): Promise<number[]> {
  return (await run(pool, findUnfinished, [after, limit])).map(([userId]) => Number(userId));
}

/**
 * A page of the records that were destroyed, in ascending order of their users. `destroyedAt` is in epoch milliseconds.
 * @param after the user after whom the page begins, exclusive
 */
export async function destroyedRecords(pool: Pool, after: number, limit: number): Promise<DestroyedRecord[]> {
  return (await run(pool, listDestroyed, [after, limit])).map(([userId, at]) => ({
    userId: Number(userId),
    destroyedAt: Number(at),
  }));
}

/**
 * Deletes the rows of records whose keys are destroyed. It first waits up to 5 s for the writes in progress, whose rows
 * would remain otherwise. If one takes longer, the present rows are deleted and the destruction stays unfinished.
 * Idempotent; several processes may run it concurrently. It obeys the concurrency rule in write/record-transaction.ts.
 * @returns the number of records that are not deleted as a whole
 */
export async function deleteDestroyed(
  pool: Pool,
  userIds: readonly number[],
  deleteDependentRows: DeleteDependentRows,
  objects: ObjectStorage | undefined,
): Promise<number> {
  const hasEnded = await currentWritersEnded(pool);
  await deleteDependentRows(userIds);
  for (const userId of userIds) await deleteRowsOf(pool, userId);
  const owners = await deleteObjects(pool, userIds, objects);
  if (!hasEnded) return userIds.length;
  await run(pool, markPurged, [userIds.filter((userId) => !owners.includes(userId))]);
  return owners.length;
}

/** @returns the users of whose versions the object storage still has objects */
async function deleteObjects(
  pool: Pool,
  userIds: readonly number[],
  objects: ObjectStorage | undefined,
): Promise<number[]> {
  const owners = (await run(pool, findOwnersOfObjects, [userIds])).map(([userId]) => Number(userId));
  const left: number[] = [];
  for (const userId of owners) {
    try {
      if (objects) await deleteObjectsOf(pool, objects, userId);
      else left.push(userId);
    } catch (error) {
      if (!(error instanceof ObjectStorageError)) throw error;
      left.push(userId);
    }
  }
  return left;
}

/** Another process may delete the same rows, so the number of deleted rows does not show whether rows remain. */
async function deleteRowsOf(pool: Pool, userId: number): Promise<void> {
  for (const { exist, deleteSome } of tablesOfRecords) {
    while ((await run(pool, exist, [userId]))[0]?.[0]) await run(pool, deleteSome, [userId]);
  }
}

/** Waits for the transactions in progress, which may have begun before the keys were destroyed. Later ones see it. */
async function currentWritersEnded(pool: Pool): Promise<boolean> {
  const writers = async (): Promise<string[]> =>
    (await run(pool, findWriters, [])).map(([transaction]) => transaction as string);
  let left = await writers();
  for (const giveUp = Date.now() + MAX_WAIT_MS; left.length > 0 && Date.now() < giveUp;) {
    await sleep(POLL_INTERVAL_MS);
    const still = new Set(await writers());
    left = left.filter((transaction) => still.has(transaction));
  }
  return left.length === 0;
}
