import type { DataSource } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import type { Grant } from './grant';

/*
 * When a grant may be refreshed again, and when its refresh token counts as invalid. The state is in the row of the
 * grant and follows the clock of PostgreSQL, so that all replicas share it:
 *
 * - `next_refresh_at`: no token request is sent before. It is set before each request, as if the request failed, and
 *   removed by a success: a process that is killed in between has counted its request.
 * - `refresh_failures`: requests since the last success. The delay doubles with each.
 * - `refresh_refusals`, `refused_since`: refusals since the last success, and the time of the first.
 * - `refusal_probes`: requests with a made-up authorization code since then, which show whether our client is accepted.
 * - `useless_tokens`: how many tokens in a row the FHIR server rejected in their first request.
 */

/** The delay after the first failure, and the longest one between two requests. */
const firstDelaySeconds = 60;
const maxDelaySeconds = 6 * 3600;

/** After this number of refusals, which are minutes apart, the grant is lost. */
const maxRefusals = 3;

/** Refusals that need not be about the refresh token count for this long before the grant is lost. */
const unclearRefusalHours = 24;

/** At most this number of probes is sent: with the first refusal, and with the two that follow. */
const maxProbes = 3;

/** At most this number of consecutive useless tokens is replaced at once; further ones after a delay. */
const maxUselessTokens = 3;

/** Assignments of the `UPDATE` that begins a refresh. @param isTokenUseless a placeholder, such as `$4` */
export function beginRefresh(isTokenUseless: string): string {
  return `refresh_failures = refresh_failures + 1,
    next_refresh_at = now() + ${delayAfter('refresh_failures')},
    useless_tokens = CASE WHEN ${isTokenUseless}::boolean THEN useless_tokens + 1 ELSE 0 END`;
}

/** The value of `next_refresh_at` after a success. */
export const nextRefreshAfterSuccess = `CASE WHEN useless_tokens >= ${maxUselessTokens}
  THEN now() + ${delayAfter(`(useless_tokens - ${maxUselessTokens})`)} END`;

/** Exponential, with a jitter of 10 % that never shortens it. */
function delayAfter(failures: string): string {
  return `least(${firstDelaySeconds}::float * 2 ^ least(${failures}, 20), ${maxDelaySeconds}) * (1 + 0.1 * random())
    * interval '1 second'`;
}

/**
 * Postpones the next refresh after a failure that is no refusal.
 * @param retryAfterSeconds what the health system demands; a longer time than six hours is cut
 * @returns the seconds until the next refresh
 */
export async function postponeRefresh(
  database: DataSource,
  { grantId, tokenId }: Grant,
  retryAfterSeconds = 0,
): Promise<number> {
  const [row] = await changedRows<{ seconds: number }>(
    database,
    `UPDATE health_system_grant
     SET next_refresh_at = greatest(next_refresh_at, now() + least($3::float, $4) * interval '1 second')
     WHERE grant_id = $1 AND token_id = $2
     RETURNING ${secondsUntilRefresh}`,
    [grantId, tokenId, retryAfterSeconds, maxDelaySeconds],
  );
  return row?.seconds ?? 0;
}

/**
 * Counts a refusal. The next request follows after twice the delay of another failure.
 * @param isClear whether the refusal is about the refresh token for certain: our client is accepted
 * @returns whether the grant is lost, and the seconds until the next refresh
 */
export async function countRefusal(
  database: DataSource,
  { grantId, tokenId }: Grant,
  isClear: boolean,
): Promise<{ isLost: boolean; seconds: number }> {
  const [row] = await changedRows<{ is_lost: boolean; seconds: number }>(
    database,
    `UPDATE health_system_grant SET refresh_refusals = refresh_refusals + 1,
       next_refresh_at = next_refresh_at + (next_refresh_at - now()),
       client_problem = CASE WHEN NOT $3 THEN client_problem END,
       client_problem_since = CASE WHEN NOT $3 THEN client_problem_since END
     WHERE grant_id = $1 AND token_id = $2
     RETURNING ${secondsUntilRefresh}, refresh_refusals >= ${maxRefusals}
       AND ($3 OR refused_since < now() - interval '${unclearRefusalHours} hours') AS is_lost`,
    [grantId, tokenId, isClear],
  );
  return { isLost: row?.is_lost ?? false, seconds: row?.seconds ?? 0 };
}

/**
 * Records the time of the first refusal.
 * @returns whether the health system has issued tokens for another grant of the same FHIR base since then: it accepts
 * our client
 */
export async function hasIssuedToOthers(
  database: DataSource,
  { grantId, tokenId, fhirBaseUrl }: Grant,
): Promise<boolean> {
  const rows = await changedRows<{ is_accepted: boolean }>(
    database,
    `UPDATE health_system_grant g SET refused_since = coalesce(refused_since, now())
     WHERE grant_id = $1 AND token_id = $2
     RETURNING EXISTS (SELECT FROM health_system_grant other
       WHERE other.fhir_base_url = $3 AND other.issued_at > g.refused_since AND other.grant_id <> $1) AS is_accepted`,
    [grantId, tokenId, fhirBaseUrl],
  );
  return rows[0]?.is_accepted ?? false;
}

/** Counts a probe before it is sent. @returns false when there were enough: none may be sent */
export async function takeProbe(database: DataSource, { grantId, tokenId }: Grant): Promise<boolean> {
  const taken = await changedRows(
    database,
    `UPDATE health_system_grant SET refusal_probes = refusal_probes + 1
     WHERE grant_id = $1 AND token_id = $2 AND refusal_probes < ${maxProbes} RETURNING grant_id`,
    [grantId, tokenId],
  );
  return taken.length === 1;
}

/** Never less than a second, as the answer is rounded up. */
export const secondsUntilRefresh = `greatest(1, ceil(extract(epoch FROM next_refresh_at - now())))::int AS seconds`;
