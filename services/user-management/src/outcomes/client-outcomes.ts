import { randomInt } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { deleteInBatches } from '../database/changed-rows';

/**
 * What is counted per client and day (UTC), by label:
 *
 * - `collection`: a collection that ended: `complete`, `incomplete` or `failed`.
 * - `collection_seconds`, `webhook_ms`: the range of a measured value, by its upper bound.
 * - `resource`: a stored resource, by type.
 * - `connection`: a connection that was made for the first time (`new`).
 * - `webhook`: the delivery of an event that ended: `delivered_at_first`, `delivered_later` or `failed`.
 *
 * And per health system:
 *
 * - `failed_connect`, `failed_refresh`, `failed_collection`, `refused_type`: by the reason, as in `connect_outcome`.
 */
export type ClientOutcomeKind =
  | 'collection'
  | 'collection_seconds'
  | 'resource'
  | 'connection'
  | 'webhook'
  | 'webhook_ms'
  | FailureKind;
export type FailureKind = 'failed_connect' | 'failed_refresh' | 'failed_collection' | 'refused_type';

export interface CountedHealthSystem {
  id: number;
  name: string;
}

/** In the rows that are about no health system. */
const noHealthSystem: CountedHealthSystem = { id: 0, name: '' };

export interface ClientOutcome {
  kind: ClientOutcomeKind;
  /** A text that is no code (`[A-Za-z0-9_]`) counts as `other`. */
  label: string;
  /** Default: once. */
  occurrences?: number;
  /** Of a failure. */
  healthSystem?: CountedHealthSystem;
}

/** The upper bounds of the ranges in which durations are counted. Longer ones are in the last range. */
export const upperBounds = {
  webhook_ms: [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000],
  collection_seconds: [
    5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 28_800, 86_400, 259_200, 604_800, 2_592_000,
  ],
} as const;

/** A measured value, as it is counted. */
export function measured(kind: keyof typeof upperBounds, value: number): ClientOutcome {
  const bounds: readonly number[] = upperBounds[kind];
  return { kind, label: String(bounds.find((bound) => value <= bound) ?? bounds.at(-1)) };
}

/**
 * The counts of a client that are about no health system are spread over this many rows, of which a transaction takes
 * one set at random: else all collections of a client would wait for one row, which stays locked until the transaction
 * ends. The counts of a health system need none: the transaction holds its rows in `connect_outcome` already, which all
 * clients share.
 */
const shards = 16;

/**
 * Counts outcomes for the client. The counts name no user.
 *
 * To be called last in the transaction that stores the outcome, once, and after `connect_outcome`: the rows are locked
 * in the order of their key, so that two transactions cannot wait for each other.
 */
export async function recordClientOutcomes(
  manager: EntityManager,
  clientId: string,
  outcomes: readonly ClientOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const shard = randomInt(shards);
  await manager.query(
    `INSERT INTO client_outcome AS o
       (client_id, day, shard, kind, health_system_id, label, health_system_name, occurrences)
     SELECT $1, (now() AT TIME ZONE 'UTC')::date, shard, kind, health_system_id, label, min(name), sum(occurrences)
     FROM unnest($2::smallint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[])
       counted (shard, kind, health_system_id, label, name, occurrences)
     GROUP BY shard, kind, health_system_id, label ORDER BY shard, kind, health_system_id, label
     ON CONFLICT (client_id, day, shard, kind, health_system_id, label) DO UPDATE SET
       occurrences = o.occurrences + excluded.occurrences, health_system_name = excluded.health_system_name`,
    [
      clientId,
      outcomes.map(({ healthSystem }) => (healthSystem ? 0 : shard)),
      outcomes.map(({ kind }) => kind),
      outcomes.map(({ healthSystem = noHealthSystem }) => healthSystem.id),
      outcomes.map(({ label }) => codeOf(label)),
      outcomes.map(({ healthSystem = noHealthSystem }) => healthSystem.name),
      outcomes.map(({ occurrences = 1 }) => occurrences),
    ],
  );
}

export function codeOf(reason: string): string {
  return /^[A-Za-z0-9_]{1,64}$/.test(reason) ? reason : 'other';
}

const key = 'client_id, day, shard, kind, health_system_id, label';

/** Some days longer than they can be read. */
const retentionDays = 100;

/**
 * Deletes the counts that are too old, and those of clients that are deleted: what ends just after the deletion of a
 * client is counted after it. A client whose user anything was counted of is in `client_user_count` until its deletion.
 */
export async function deleteOldClientOutcomes(database: DataSource): Promise<void> {
  const today = `(now() AT TIME ZONE 'UTC')::date`;
  const old = `day < ${today} - $1::int`;
  await deleteInBatches(database, { table: 'client_outcome', key, condition: old }, [retentionDays]);
  // Only some days, so that an hourly run does not read all counts.
  const ofDeleted = `day > ${today} - 7 AND NOT EXISTS (
    SELECT FROM client_user_count c WHERE c.client_id = client_outcome.client_id)`;
  await deleteInBatches(database, { table: 'client_outcome', key, condition: ofDeleted });
}

export function deleteOutcomesOfClient(database: DataSource, clientId: string): Promise<void> {
  return deleteInBatches(database, { table: 'client_outcome', key, condition: 'client_id = $1' }, [clientId]);
}
