import { sum } from 'd3-array';
import type { Activity, ActivityCounts, ActivityFailures } from '@tributary/contracts';

/** The days that can be chosen. */
export const periods = [7, 30, 90] as const;
export type Period = (typeof periods)[number];

export const sumOf = (counts: Readonly<Record<string, number>>): number => sum(Object.values(counts));

export const failureCount = (failures: ActivityFailures): number => sum(Object.values(failures), sumOf);

/** The share of deliveries that were accepted, from 0 to 1; undefined when none has ended. */
export function acceptedShare({ webhooks }: ActivityCounts): number | undefined {
  const ended = sumOf(webhooks);
  return ended === 0 ? undefined : (ended - webhooks.failed) / ended;
}

/** Whether anything was counted. */
export function isEmpty({ collections, resources, failures, new_connections, webhooks }: ActivityCounts): boolean {
  return sumOf(collections) + sumOf(resources) + failureCount(failures) + new_connections + sumOf(webhooks) === 0;
}

/** Fewer than these are too few to be compared. */
const fewest = 20;

/**
 * How a count has changed against the period before, as a share of it: that of a full day, since today is not over.
 * @param days twice the period, oldest first
 * @returns undefined where the comparison would mislead: few were counted before, or none at the begin of that period,
 * as when the application is new
 */
export function trendOf(days: readonly number[]): number | undefined {
  const period = days.length / 2;
  const before = days.slice(0, period);
  const since = days.slice(period, -1);
  const isNew = before.slice(0, Math.ceil(period / 4)).every((count) => count === 0);
  return isNew || sum(before) < fewest ? undefined : sum(since) / since.length / (sum(before) / period) - 1;
}

/** One reason for failures at a health system, or at the others. */
export interface FailureRow {
  /** Undefined: those that are not named. */
  system: Activity['health_systems'][number]['health_system'] | undefined;
  kind: keyof ActivityFailures;
  reason: string;
  count: number;
}

const kinds = ['connects', 'refreshes', 'collections', 'types_refused'] as const satisfies (keyof ActivityFailures)[];

/** The reasons of failures, most occurrences first. */
export function failureReasons(failures: ActivityFailures): Omit<FailureRow, 'system'>[] {
  return kinds
    .flatMap((kind) => Object.entries(failures[kind]).map(([reason, count]) => ({ kind, reason, count })))
    .sort((one, other) => other.count - one.count);
}

/** The failures of each health system, as the API has ordered them, and then those of the others. */
export function failureRows({ health_systems: systems, other_health_systems: others }: Activity): FailureRow[] {
  return [
    ...systems.map(({ health_system: system, failures }) => ({ system, failures })),
    { system: undefined, failures: others.failures },
  ].flatMap(({ system, failures }) => failureReasons(failures).map((reason) => ({ system, ...reason })));
}

/** The first entries, and the rest as one. */
export function withOthers<Entry extends { count: number }>(
  entries: readonly Entry[],
  shown: number,
): { first: readonly Entry[]; others: { entries: number; count: number } | undefined } {
  // A single rest is shown as itself.
  if (entries.length <= shown + 1) return { first: entries, others: undefined };
  const rest = entries.slice(shown);
  return {
    first: entries.slice(0, shown),
    others: { entries: rest.length, count: sum(rest, ({ count }) => count) },
  };
}
