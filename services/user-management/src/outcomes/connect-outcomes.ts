import { type HealthSystemOutcomes, type OutcomeList, maxListedOutcomes, maxOutcomeDays } from '@tributary/contracts';
import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource, EntityManager } from 'typeorm';
import { deleteInBatches } from '../database/changed-rows';
import { type ClientOutcome, type CountedHealthSystem, codeOf, recordClientOutcomes } from './client-outcomes';

/**
 * What is counted per health system and day (UTC).
 *
 * - `connect`: a user's connect session. The reason is `started`, `connected`, or the `error` of the redirect
 *   to the client. Sessions that started and ended in neither were abandoned.
 * - `refresh`: a refresh of a grant that failed. The reason is the OAuth error code or another short code.
 * - `collection`: a collection that ended. The reason is `complete`, `incomplete`, or the error code of the connection.
 * - `type_refused`: a completed collection in which a type was refused. The reason is the resource type.
 */
export type OutcomeKind = 'connect' | 'refresh' | 'collection' | 'type_refused';

interface Outcome {
  kind: OutcomeKind;
  reason: string;
}

/** Where an outcome occurred, and to a user of which client. */
interface OutcomePlace {
  healthSystem: CountedHealthSystem;
  clientId: string;
}

/**
 * Counts outcomes for the operator's view (`connection outcomes`) and for the client (`GET /connect/v1/activity`). The
 * counts name no user.
 *
 * To be called last in the transaction that stores the outcome: the counted rows are shared by all users of a health
 * system, and stay locked until the transaction ends. One call locks its rows in one order, so a transaction calls this
 * once for all of its outcomes.
 * @param outcomes the reasons are codes of a fixed list; a text that is no code (`[A-Za-z0-9_]`) counts as `other`
 * @param ofClient what is counted for the client beside these
 */
export async function recordOutcomes(
  manager: EntityManager,
  { healthSystem, clientId }: OutcomePlace,
  outcomes: readonly Outcome[],
  ofClient: readonly ClientOutcome[] = [],
): Promise<void> {
  await manager.query(
    `INSERT INTO connect_outcome AS o (health_system_id, health_system_name, day, kind, reason, occurrences)
     SELECT $1, $2, (now() AT TIME ZONE 'UTC')::date, kind, reason, count(*)
     FROM unnest($3::text[], $4::text[]) counted (kind, reason) GROUP BY kind, reason ORDER BY kind, reason
     ON CONFLICT (health_system_id, day, kind, reason) DO UPDATE SET
       occurrences = o.occurrences + excluded.occurrences, health_system_name = excluded.health_system_name`,
    [
      healthSystem.id,
      healthSystem.name,
      outcomes.map(({ kind }) => kind),
      outcomes.map(({ reason }) => codeOf(reason)),
    ],
  );
  await recordClientOutcomes(manager, clientId, [
    ...outcomes.flatMap((outcome) => clientOutcomesOf(outcome, healthSystem)),
    ...ofClient,
  ]);
}

function clientOutcomesOf({ kind, reason }: Outcome, healthSystem: CountedHealthSystem): ClientOutcome[] {
  switch (kind) {
    case 'connect':
      return reason === 'started' || reason === 'connected'
        ? []
        : [{ kind: 'failed_connect', label: reason, healthSystem }];
    case 'refresh':
      return [{ kind: 'failed_refresh', label: reason, healthSystem }];
    case 'type_refused':
      return [{ kind: 'refused_type', label: reason, healthSystem }];
    case 'collection': {
      if (reason === 'complete') return [{ kind: 'collection', label: reason }];
      return [
        { kind: 'collection', label: reason === 'incomplete' ? reason : 'failed' },
        { kind: 'failed_collection', label: reason, healthSystem },
      ];
    }
  }
}

/** Counts one outcome; see `recordOutcomes`. */
export function recordOutcome(
  manager: EntityManager,
  place: OutcomePlace,
  kind: OutcomeKind,
  reason: string,
): Promise<void> {
  return recordOutcomes(manager, place, [{ kind, reason }]);
}

/** Counts one outcome in a transaction of its own. A failure is logged: what is counted has happened all the same. */
export async function tryRecordOutcome(
  database: DataSource,
  log: Logger,
  ...[place, kind, reason]: [OutcomePlace, OutcomeKind, string]
): Promise<void> {
  await database
    .transaction((manager) => recordOutcome(manager, place, kind, reason))
    .catch((error: unknown) => log.warn({ err: describeError(error) }, 'an outcome was not counted'));
}

/**
 * Counts a failed refresh at the health systems whose connections use the grant, which are of one user; see
 * `recordOutcomes`. The rows of the client are made from those of `connect_outcome`, and so locked after them.
 */
export async function recordRefreshFailure(manager: EntityManager, grantId: string, reason: string): Promise<void> {
  await manager.query(
    `WITH counted AS (
       INSERT INTO connect_outcome AS o (health_system_id, health_system_name, day, kind, reason, occurrences)
       SELECT health_system_id, min(health_system_name), (now() AT TIME ZONE 'UTC')::date, 'refresh', $2, 1
       FROM connection WHERE grant_id = $1 GROUP BY health_system_id ORDER BY health_system_id
       ON CONFLICT (health_system_id, day, kind, reason) DO UPDATE SET
         occurrences = o.occurrences + 1, health_system_name = excluded.health_system_name
       RETURNING health_system_id, health_system_name, day, reason
     )
     INSERT INTO client_outcome AS o
       (client_id, day, shard, kind, health_system_id, label, health_system_name, occurrences)
     SELECT (SELECT client_id FROM connection WHERE grant_id = $1 LIMIT 1), day, 0, 'failed_refresh',
       health_system_id, reason, health_system_name, 1
     FROM counted ORDER BY health_system_id
     ON CONFLICT (client_id, day, shard, kind, health_system_id, label) DO UPDATE SET
       occurrences = o.occurrences + 1, health_system_name = excluded.health_system_name`,
    [grantId, codeOf(reason)],
  );
}

function countsWhere(condition: string): string {
  return `coalesce(json_object_agg(reason, occurrences ORDER BY reason) FILTER (WHERE ${condition}), '{}')`;
}

const isFailedConnect = `kind = 'connect' AND reason NOT IN ('started', 'connected')`;
const connectsWith = (reason: string): string =>
  `coalesce(sum(occurrences) FILTER (WHERE kind = 'connect' AND reason = '${reason}'), 0)`;

/** $1 days, $2 the health system or null, $3 how many at most, or null. */
const selectOutcomes = `
SELECT health_system_id, health_system_name,
  json_build_object('started', ${connectsWith('started')}, 'connected', ${connectsWith('connected')},
    'failed', ${countsWhere(isFailedConnect)}) AS connects,
  ${countsWhere(`kind = 'refresh'`)} AS refresh_failures, ${countsWhere(`kind = 'collection'`)} AS collections,
  ${countsWhere(`kind = 'type_refused'`)} AS types_refused,
  (count(*) OVER ())::int AS total
FROM (SELECT health_system_id, newest_name AS health_system_name, kind, reason, sum(occurrences) AS occurrences
  FROM (SELECT *, first_value(health_system_name) OVER (PARTITION BY health_system_id ORDER BY day DESC) newest_name
    FROM connect_outcome
    WHERE day > (now() AT TIME ZONE 'UTC')::date - $1::int AND ($2::bigint IS NULL OR health_system_id = $2)) named
  GROUP BY health_system_id, newest_name, kind, reason) counted
GROUP BY health_system_id, health_system_name
ORDER BY coalesce(sum(occurrences) FILTER (WHERE ${isFailedConnect}), 0) DESC, health_system_id
LIMIT $3`;

async function select(
  database: DataSource,
  ...values: [days: number, healthSystemId: number | null, limit: number | null]
): Promise<{ total: number; entry: HealthSystemOutcomes[] }> {
  const rows = (await database.query(selectOutcomes, values)) as (HealthSystemOutcomes & { total: number })[];
  return { total: rows[0]?.total ?? 0, entry: rows.map(({ total: _total, ...outcomes }) => outcomes) };
}

/**
 * The outcomes of each health system, those with the most failed connects first.
 * @param days the period: today (UTC) and the days before it
 * @param healthSystemId limits the list to one health system
 */
export async function listOutcomes(
  database: DataSource,
  days: number,
  healthSystemId?: number,
): Promise<HealthSystemOutcomes[]> {
  return (await select(database, days, healthSystemId ?? null, null)).entry;
}

/** The outcomes of the health systems with the most failed connects, and how many others there are. */
export async function listWorstOutcomes(
  database: DataSource,
  days: number,
  limit = maxListedOutcomes,
): Promise<OutcomeList> {
  const { total, entry } = await select(database, days, null, limit);
  const others = total - entry.length;
  return { days, entry, ...(others > 0 ? { other_health_systems: others } : {}) };
}

export function deleteOldOutcomes(database: DataSource, retentionDays = maxOutcomeDays): Promise<void> {
  const key = 'health_system_id, day, kind, reason';
  const condition = `day < (now() AT TIME ZONE 'UTC')::date - $1::int`;
  return deleteInBatches(database, { table: 'connect_outcome', key, condition }, [retentionDays]);
}
