import { createHash } from 'node:crypto';
import type { HealthSystemEndpoint } from '@tributary/contracts';
import type { PoolClient } from 'pg';
import type { DirectoryEntry } from '../directory/directory-entry';
import type { FileFormat, LoadCounts } from './load-report';
import { Batch } from './stage-file';
import {
  deleteSharedKeys,
  analyzeStagedIds,
  readOrganizations,
  matchKnownEntries,
  resolveReferences,
  stageEntries,
} from './staging-statements';
import { type Candidate, distinct, mergePerReleaseEntries, mergeAddresses } from './merge-entries';

interface OrganizationRow {
  keys: string[];
  sort_key: string;
  endpoint_keys: string[][];
  content: Omit<DirectoryEntry, 'endpoints' | 'parents'>;
  offers: HealthSystemEndpoint[] | null;
  parents: string[];
}

const fetchSize = 1000;

/**
 * Ranks of keys by reliability: the fullUrl of the resource, or name and address of a row; its id, or the organization
 * and the postal code of a row; a fingerprint of the entry.
 */
const keyRanks = [0, 1, 2] as const;
const weakKey = /^(?:Organization\/|npi:|address:)/;

/**
 * Builds the entries of the directory from the staged resources: resolves endpoints and parents, merges entries that
 * are published once per release, and assigns the ids of earlier loads.
 * @returns the number of entries
 */
export async function stageDirectoryEntries(
  client: PoolClient,
  { source, format, counts }: { source: string; format: FileFormat; counts: LoadCounts },
): Promise<number> {
  await client.query(resolveReferences);
  let ordinal = 0;
  const batch = new Batch(async (rows: object[]) => {
    await client.query(stageEntries, [JSON.stringify(rows)]);
  });
  let sameName: Candidate[] = [];
  const finishName = async (): Promise<void> => {
    const name = sameName[0]?.entry.name ?? '';
    const distinctEntries = format === 'list' ? mergeAddresses(sameName) : sameName;
    counts.merge(
      'the same name and endpoint at another postal address',
      name,
      sameName.length - distinctEntries.length,
    );
    const merged = mergePerReleaseEntries(distinctEntries);
    counts.merge('the same health system in another release', name, distinctEntries.length - merged.length);
    for (const candidate of merged) await batch.add({ ordinal: ++ordinal, ...rowOf(candidate) });
    sameName = [];
  };

  await client.query(readOrganizations);
  for (;;) {
    const { rows } = await client.query<OrganizationRow>(`fetch ${fetchSize} from organizations`);
    for (const { keys, sort_key, endpoint_keys, content, offers, parents } of rows) {
      if (!offers) {
        // A row of a list has no name of its own that an operator could search for; its address is one.
        const key = format === 'list' ? endpoint_keys[0]![0]! : keys[0]!;
        counts.reject({ resource: 'Organization', key, name: content.name, reason: 'no usable endpoint' });
        continue;
      }
      if (sameName[0] && sameName[0].sortKey !== sort_key) await finishName();
      sameName.push({ keys, sortKey: sort_key, entry: { ...content, parents, endpoints: distinct(offers) } });
    }
    if (rows.length < fetchSize) break;
  }
  await finishName();
  await batch.flush();
  await client.query('close organizations');

  await client.query(deleteSharedKeys);
  for (const rank of keyRanks) {
    await client.query(matchKnownEntries, [source, rank]);
    await client.query(analyzeStagedIds);
  }
  return ordinal;
}

function rowOf({ keys, sortKey, entry }: Candidate): object {
  const { name, address, aliases, addresses, parents, portals, logo, endpoints } = entry;
  const rankedKeys = [
    ...keys.map((key) => ({ rank: weakKey.test(key) ? 1 : 0, key })),
    { rank: 2, key: `same:${fingerprint(sortKey, entry)}` },
  ];
  return { name, sort_key: sortKey, address, aliases, addresses, parents, portals, logo, endpoints, keys: rankedKeys };
}

/** Hashes the fields that distinguish an entry; the order of its endpoints is irrelevant. */
function fingerprint(sortKey: string, { address, endpoints }: DirectoryEntry): string {
  const sorted = endpoints.map(({ fhirVersion, fhir_base_url }) => `${fhirVersion} ${fhir_base_url}`).sort();
  return createHash('sha256')
    .update(JSON.stringify([sortKey, address, sorted]))
    .digest('base64url');
}
