import { type FhirVersion, normalizedBase } from '@tributary/contracts';
import type { Pool } from 'pg';
import type { ReadEndpoint } from './read-endpoint';
import { releaseOfVersion } from './release';

interface Check {
  address: string;
  fhir_version: string | null;
  is_checked: boolean;
  is_due: boolean;
}

/**
 * Sets the releases of the endpoints that neither the file nor their address names, from what their `/metadata` has
 * stated.
 * @param verify called with the addresses that were not checked, or are due to be checked again
 * @returns the endpoints whose release remains unknown, each with the reason
 */
export async function resolveUnknownReleases(
  pool: Pool,
  endpoints: Iterable<ReadEndpoint>,
  verify: ((addresses: string[]) => Promise<void>) | undefined,
): Promise<{ endpoint: ReadEndpoint; problem: string }[]> {
  const unknown = [...endpoints].filter(({ releases }) => releases.length === 0);
  if (unknown.length === 0) return [];
  const addresses = [...new Set(unknown.map(({ address }) => normalizedBase(address)))];
  let checks = await selectChecks(pool, addresses);
  const unverified = addresses.filter((address) => checks.get(address)?.is_due !== false);
  if (verify && unverified.length > 0) {
    await verify(unverified);
    checks = await selectChecks(pool, addresses);
  }
  return unknown.flatMap((endpoint) => {
    const release = releaseOf(checks.get(normalizedBase(endpoint.address)));
    if (typeof release === 'object') return [{ endpoint, ...release }];
    Object.assign(endpoint, { releases: [release], foundBy: 'metadata' });
    return [];
  });
}

async function selectChecks(pool: Pool, addresses: string[]): Promise<Map<string, Check>> {
  const { rows } = await pool.query<Check>(
    `select address, fhir_version, checked_at is not null as is_checked, due_at <= now() as is_due
     from endpoint_check where address = any($1)`,
    [addresses],
  );
  return new Map(rows.map((row) => [row.address, row]));
}

function releaseOf(check: Check | undefined): FhirVersion | { problem: string } {
  if (!check?.is_checked) return { problem: 'no FHIR version' };
  if (check.fhir_version === null) return { problem: 'no FHIR version, and none in its /metadata' };
  const release = releaseOfVersion(check.fhir_version);
  return release === undefined || release === 'other' ? { problem: 'FHIR version is not offered' } : release;
}
