import { z } from 'zod';
import { healthSystemId } from '../identifiers';

/** What happened to the users of a client, in counts: no user, and no value of a record. */

/** For how many days, today among them, the activity of a client can be read. */
export const maxActivityDays = 90;

/** The response names at most this many health systems. */
export const maxActivityHealthSystems = 50;

const count = z.int().min(0);
const day = z.iso.date().meta({ examples: ['2026-11-30'] });

function countsBy(label: string, example: Record<string, number>) {
  return z
    .record(z.string(), count)
    .describe(`Occurrences by ${label}.`)
    .meta({ examples: [example] });
}

/** The latency of webhooks, or the duration of collections. Upper bounds: the values are counted in ranges. */
function percentiles(what: string, unit: string, example: { p50: number; p95: number }) {
  return z
    .object({
      p50: count.describe(`Half of them took at most this many ${unit}.`),
      p95: count.describe(`95 % of them took at most this many ${unit}.`),
    })
    .nullable()
    .describe(`${what} The ends of the ranges in which they are counted; null when there was none.`)
    .meta({ examples: [example] });
}

export const activityFailures = z
  .object({
    connects: countsBy('the `error` of the redirect', { access_denied: 3 }).describe(
      'Connect sessions that ended without a connection, by the `error` of the redirect to your client. A session that the user left is not among them.',
    ),
    refreshes: countsBy('reason', { unavailable: 2 }).describe(
      'Failed refreshes of the access to a health system. `unavailable`: it is tried again. `refused`: it may be tried again. `refresh_refused`, `no_refresh_token`: the user must connect again. `client_not_registered`, `client_refused`: the operator must correct the registration.',
    ),
    collections: countsBy('reason', { incomplete: 4 }).describe(
      'Collections that failed, by the code of the error of the connection; `incomplete`: completed, and something is missing.',
    ),
    types_refused: countsBy('resource type', { DocumentReference: 4 }).describe(
      'Collections in which the health system refused a resource type, by type.',
    ),
  })
  .meta({ id: 'ActivityFailures' });
export type ActivityFailures = z.infer<typeof activityFailures>;

export const activityCounts = z
  .object({
    collections: z
      .object({
        complete: count.describe('Everything that the health system offers was read.'),
        incomplete: count.describe('Completed, and something was refused or could not be read.'),
        failed: count.describe('The connection is `failed`.'),
      })
      .describe(
        'Collections that ended, also those of connections that were collected before. A collection that waits to be tried again has not ended.',
      ),
    collection_seconds: percentiles(
      'The seconds from the time at which a collection was due to its end, of those that were completed; waiting for a health system is included.',
      'seconds',
      { p50: 60, p95: 600 },
    ),
    resources: countsBy('resource type', { Observation: 1200, Condition: 40 }).describe(
      'Resources that these collections, also the failed ones, have stored, by type: each that was new to the record, or had changed. One that is read again without a change is not counted; one that changes twice is counted twice.',
    ),
    failures: activityFailures,
    new_connections: count.describe(
      'Connections that users made for the first time: of a user to a health system, for each FHIR release and Patient. Connecting again is not counted.',
    ),
    webhooks: z
      .object({
        delivered_at_first: count.describe('Accepted at the first attempt.'),
        delivered_later: count.describe('Accepted at a later attempt.'),
        failed: count.describe('Sent at least once, and never accepted.'),
      })
      .describe(
        'Deliveries of events to the endpoints of the client that ended. A replay is a delivery of its own. Events that were not sent, since the endpoint was disabled, are not counted.',
      ),
    webhook_ms: percentiles(
      'The milliseconds from the request to the response of the accepted attempt of each delivery.',
      'milliseconds',
      { p50: 100, p95: 500 },
    ),
  })
  .meta({ id: 'ActivityCounts' });
export type ActivityCounts = z.infer<typeof activityCounts>;

/** Query of `GET /connect/v1/activity`. */
export const activityQuery = z.object({
  days: z
    .string()
    .regex(/^([1-9]|[1-8]\d|90)$/, `must be an integer from 1 to ${maxActivityDays}`)
    .default('30')
    .transform(Number)
    .describe('How many days (UTC): today, and the days before it.')
    .meta({ documented: { type: 'integer', minimum: 1, maximum: maxActivityDays, default: 30 } }),
});

/** Response of `GET /connect/v1/activity`. */
export const activity = z
  .object({
    success: z.literal(true),
    from: day.describe('The first day (UTC).'),
    until: day.describe('Today (UTC), which is not over.'),
    total: activityCounts.describe('Of all days.'),
    days: z.array(activityCounts.extend({ day }).meta({ id: 'ActivityDay' })).describe('Each day, oldest first.'),
    health_systems: z
      .array(
        z
          .object({
            health_system: z.object({ id: healthSystemId, name: z.string().meta({ examples: ['Example Hospital'] }) }),
            failures: activityFailures,
          })
          .meta({ id: 'HealthSystemActivity' }),
      )
      .max(maxActivityHealthSystems)
      .describe(
        `The health systems with failures in this time, most failures first: at most ${maxActivityHealthSystems}.`,
      ),
    other_health_systems: z
      .object({ count: count.describe('How many there are.'), failures: activityFailures })
      .describe('The other health systems with failures, summed.'),
  })
  .meta({ id: 'Activity' });
export type Activity = z.infer<typeof activity>;
