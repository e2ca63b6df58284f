import {
  type Activity,
  type ActivityCounts,
  type ActivityFailures,
  maxActivityHealthSystems,
} from '@tributary/contracts';
import type { DataSource } from 'typeorm';
import { type ClientOutcomeKind, type FailureKind, upperBounds } from './client-outcomes';

interface Counted<Kind extends ClientOutcomeKind = ClientOutcomeKind> {
  kind: Kind;
  label: string;
  occurrences: number;
}

interface CountedAtHealthSystem extends Counted<FailureKind> {
  /** Null: of the others, summed. */
  id: string | null;
  name: string | null;
  /** How many health systems there are, the same in each row. */
  systems: number;
}

const inPeriod = `client_id = $1 AND day > (now() AT TIME ZONE 'UTC')::date - $2::int`;

/** $1 client, $2 days. Each day has a row at least. */
const selectDays = `
SELECT period.day::date::text AS day, coalesce(json_agg(json_build_object(
    'kind', kind, 'label', label, 'occurrences', occurrences)) FILTER (WHERE kind IS NOT NULL), '[]') AS counted
FROM generate_series((now() AT TIME ZONE 'UTC')::date - $2::int + 1, (now() AT TIME ZONE 'UTC')::date, '1 day') period (day)
LEFT JOIN (SELECT day, kind, label, sum(occurrences)::float AS occurrences FROM client_outcome
  WHERE ${inPeriod} GROUP BY day, kind, label) counts ON counts.day = period.day
GROUP BY period.day ORDER BY period.day`;

/** $1 client, $2 days, $3 how many health systems are named. */
const selectHealthSystems = `
WITH counts AS MATERIALIZED (
  SELECT health_system_id, kind, label, sum(occurrences) AS occurrences, max(ARRAY[day::text, health_system_name]) AS newest
  FROM client_outcome WHERE ${inPeriod} AND health_system_id <> 0 GROUP BY health_system_id, kind, label
), ranked AS (
  SELECT health_system_id, (max(newest))[2] AS name,
    row_number() OVER (ORDER BY sum(occurrences) DESC, health_system_id) AS rank
  FROM counts GROUP BY health_system_id
), named AS (
  SELECT CASE WHEN rank <= $3 THEN rank END AS rank, CASE WHEN rank <= $3 THEN health_system_id END AS id,
    CASE WHEN rank <= $3 THEN name END AS name, kind, label, occurrences
  FROM counts JOIN ranked USING (health_system_id)
)
SELECT id, name, kind, label, sum(occurrences)::float AS occurrences, (SELECT count(*)::int FROM ranked) AS systems
FROM named GROUP BY rank, id, name, kind, label ORDER BY rank NULLS LAST`;

/**
 * What happened to the users of a client.
 * @param days the period: today (UTC) and the days before it
 */
export function readActivity(database: DataSource, clientId: string, days: number): Promise<Activity> {
  // One snapshot: the days, their sum, and the health systems agree.
  return database.transaction('REPEATABLE READ', async (manager) => {
    const period = [clientId, days];
    const rows = (await manager.query(selectDays, period)) as { day: string; counted: Counted[] }[];
    const failures = (await manager.query(selectHealthSystems, [
      ...period,
      maxActivityHealthSystems,
    ])) as CountedAtHealthSystem[];
    const [named, others] = [failures.filter(({ id }) => id !== null), failures.filter(({ id }) => id === null)];
    const healthSystems = [...new Set(named.map(({ id }) => id))].map((id) => {
      const counted = named.filter((each) => each.id === id);
      return { health_system: { id: Number(id), name: counted[0]?.name ?? '' }, failures: failuresOf(counted) };
    });
    return {
      success: true,
      from: rows[0]?.day ?? '',
      until: rows.at(-1)?.day ?? '',
      total: countsOf(rows.flatMap(({ counted }) => counted)),
      days: rows.map(({ day, counted }) => ({ day, ...countsOf(counted) })),
      health_systems: healthSystems,
      other_health_systems: {
        count: (failures[0]?.systems ?? 0) - healthSystems.length,
        failures: failuresOf(others),
      },
    };
  });
}

function countsOf(counted: readonly Counted[]): ActivityCounts {
  const of = (kind: ClientOutcomeKind): Record<string, number> => sumOf(counted, kind);
  const { complete = 0, incomplete = 0, failed = 0 } = of('collection');
  const { delivered_at_first = 0, delivered_later = 0, failed: failedWebhooks = 0 } = of('webhook');
  return {
    collections: { complete, incomplete, failed },
    collection_seconds: percentilesOf(upperBounds.collection_seconds, of('collection_seconds')),
    resources: of('resource'),
    failures: failuresOf(counted),
    new_connections: of('connection')['new'] ?? 0,
    webhooks: { delivered_at_first, delivered_later, failed: failedWebhooks },
    webhook_ms: percentilesOf(upperBounds.webhook_ms, of('webhook_ms')),
  };
}

function failuresOf(counted: readonly Counted[]): ActivityFailures {
  return {
    connects: sumOf(counted, 'failed_connect'),
    refreshes: sumOf(counted, 'failed_refresh'),
    collections: sumOf(counted, 'failed_collection'),
    types_refused: sumOf(counted, 'refused_type'),
  };
}

/** The occurrences of a kind by label, most first. */
function sumOf(counted: readonly Counted[], kind: ClientOutcomeKind): Record<string, number> {
  const sums = new Map<string, number>();
  for (const each of counted)
    if (each.kind === kind) sums.set(each.label, (sums.get(each.label) ?? 0) + each.occurrences);
  return Object.fromEntries([...sums].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)));
}

/** @param counts by upper bound */
function percentilesOf(
  bounds: readonly number[],
  counts: Readonly<Record<string, number>>,
): { p50: number; p95: number } | null {
  const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
  if (total === 0) return null;
  const at = (share: number): number => {
    let below = 0;
    return bounds.find((bound) => (below += counts[String(bound)] ?? 0) >= share * total) ?? 0;
  };
  return { p50: at(0.5), p95: at(0.95) };
}
