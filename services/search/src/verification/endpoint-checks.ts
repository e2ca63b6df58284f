import { type FhirVersion, normalizedBase } from '@tributary/contracts';
import type { Pool } from 'pg';

/** How an endpoint announces its authorization server. */
export type SmartSupport = 'smart-configuration' | 'capability-statement' | 'none';

/** What the `/metadata` and the SMART configuration of an endpoint state. */
export interface EndpointMetadata {
  /** `CapabilityStatement.fhirVersion`; null when `/metadata` does not state it. */
  fhirVersion: string | null;
  software: string | null;
  smart: SmartSupport;
  /** `capabilities` of the SMART configuration; null without one. */
  capabilities: string[] | null;
}

/** The reason why a probe failed: no response, or not that of a FHIR server. */
export interface EndpointFailure {
  problem: string;
}

/** An endpoint counts as unavailable after this number of consecutive failed checks, which are an hour apart. */
export const unavailableAfterFailures = 2;

/**
 * Returns the addresses of the present health systems, with the releases that the directory gives them.
 * @param source restricts them to one source
 */
export async function selectAddresses(pool: Pool, source?: string): Promise<Map<string, FhirVersion[]>> {
  const { rows } = await pool.query<{ base: string; releases: FhirVersion[] }>(
    `select endpoint ->> 'fhir_base_url' as base, array_agg(distinct endpoint ->> 'fhirVersion') as releases
     from health_system, jsonb_array_elements(endpoints) as endpoint
     where removed_at is null and ($1::text is null or source = $1) group by 1`,
    [source ?? null],
  );
  const addresses = new Map<string, FhirVersion[]>();
  for (const { base, releases } of rows) {
    const address = normalizedBase(base);
    addresses.set(address, [...(addresses.get(address) ?? []), ...releases]);
  }
  return addresses;
}

/**
 * Adds rows for addresses that have none, and returns those whose check is due.
 * @param recheckBefore also returns those that were checked before this time
 */
export async function selectDue(pool: Pool, addresses: string[], recheckBefore: Date | undefined): Promise<string[]> {
  // Ordered: an insert waits for a concurrent one of the same address, so runs that insert in different orders would
  // deadlock.
  await pool.query(
    `insert into endpoint_check (address) select address from unnest($1::text[]) as address order by address
     on conflict do nothing`,
    [addresses],
  );
  const { rows } = await pool.query<{ address: string }>(
    `select address from endpoint_check where address = any($1) and ${isDue('$2')}`,
    [addresses, recheckBefore ?? null],
  );
  return rows.map(({ address }) => address);
}

/**
 * Claims a check for two minutes, so that concurrent runs share the work. A claim that is not followed by a result
 * expires.
 * @returns false when the check is not due any more, or another run has claimed it
 */
export async function claim(pool: Pool, address: string, recheckBefore: Date | undefined): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update endpoint_check set claimed_until = now() + interval '2 minutes'
     where address = $1 and ${isDue('$2')} and (claimed_until is null or claimed_until < now())`,
    [address, recheckBefore ?? null],
  );
  return rowCount === 1;
}

const isDue = (recheckBefore: string): string => `(due_at <= now() or checked_at < ${recheckBefore}::timestamptz)`;

/**
 * Stores the result of a successful probe. The next check is due after two weeks.
 * @returns whether the endpoint counted as unavailable before
 */
export async function saveMetadata(pool: Pool, address: string, facts: EndpointMetadata): Promise<boolean> {
  return save(
    pool,
    `checked_at = now(), due_at = now() + interval '14 days', answered_at = now(), failures = 0, problem = null,
     fhir_version = $2, software = $3, smart = $4, capabilities = $5::jsonb`,
    [
      address,
      facts.fhirVersion,
      facts.software,
      facts.smart,
      facts.capabilities === null ? null : JSON.stringify(facts.capabilities),
    ],
  );
}

/**
 * Stores that a check failed, and keeps the result of the last successful probe. The next check is due after an hour,
 * and after a day from the second failure on. A failure within an hour of the one before is the same failure, and
 * changes nothing.
 * @returns whether the endpoint counts as unavailable from now on, and did not before
 */
export async function saveFailure(pool: Pool, address: string, { problem }: EndpointFailure): Promise<boolean> {
  const isSame = `(problem is not null and checked_at > now() - interval '55 minutes')`;
  const unlessSame = (column: string, value: string): string =>
    `${column} = case when ${isSame} then ${column} else ${value} end`;
  return save(
    pool,
    [
      'problem = $2',
      unlessSame('checked_at', 'now()'),
      unlessSame('due_at', `now() + case when failures = 0 then interval '1 hour' else interval '1 day' end`),
      unlessSame('failures', 'failures + 1'),
    ].join(', '),
    [address, problem],
  );
}

async function save(pool: Pool, assignments: string, values: unknown[]): Promise<boolean> {
  const { rows } = await pool.query<{ changed: boolean }>(
    `with before as (select failures from endpoint_check where address = $1),
     updated as (
       update endpoint_check set claimed_until = null, ${assignments} where address = $1
       returning failures
     )
     select (before.failures >= ${unavailableAfterFailures}) <> (updated.failures >= ${unavailableAfterFailures}) as changed
     from before, updated`,
    values,
  );
  return rows[0]?.changed ?? false;
}

/** Gives up claims without a result. */
export async function releaseClaims(pool: Pool, addresses: string[]): Promise<void> {
  await pool.query('update endpoint_check set claimed_until = null where address = any($1)', [addresses]);
}

/** Deletes checks of addresses that the directory has not contained for 90 days. */
export async function deleteForgotten(pool: Pool, present: string[]): Promise<void> {
  await pool.query(
    `delete from endpoint_check where coalesce(checked_at, due_at) < now() - interval '90 days' and address <> all($1)`,
    [present],
  );
}
