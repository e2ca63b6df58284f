import { createHash } from 'node:crypto';
import type { HealthSystemEndpoint } from '@tributary/contracts';
import type { PoolClient } from 'pg';
import type { DirectoryEntry } from '../directory/directory-entry';
import type { Rejections } from './load-report';
import { Batch } from './stage-bundle';
import {
  deleteSharedKeys,
  analyzeStagedIds,
  readOrganizations,
  matchKnownEntries,
  resolveReferences,
  stageEntries,
} from './staging-statements';
import { type Candidate, distinct, mergePerReleaseEntries } from './merge-per-release-entries';

interface OrganizationRow {
  keys: string[];
  sort_key: string;
  content: Omit<DirectoryEntry, 'endpoints' | 'parents'>;
  offers: HealthSystemEndpoint[] | null;
  parents: string[];
}

const fetchSize = 1000;

/** Ranks of keys by reliability: the fullUrl of the resource, its id, a fingerprint of the entry. */
const keyRanks = [0, 1, 2] as const;

/**
 * Builds the entries of the directory from the staged resources: resolves endpoints and parents, merges entries that
 * are published once per release, and assigns the ids of earlier loads.
 * @returns the number of entries
 */
export async function stageDirectoryEntries(
  client: PoolClient,
  source: string,
  rejections: Rejections,
): Promise<number> {
  await client.query(resolveReferences);
  let ordinal = 0;
  const batch = new Batch(async (rows: object[]) => {
    await client.query(stageEntries, [JSON.stringify(rows)]);
  });
  let sameName: Candidate[] = [];
  const finishName = async (): Promise<void> => {
    for (const candidate of mergePerReleaseEntries(sameName))
      await batch.add({ ordinal: ++ordinal, ...rowOf(candidate) });
    sameName = [];
  };

  await client.query(readOrganizations);
  for (;;) {
    const { rows } = await client.query<OrganizationRow>(`fetch ${fetchSize} from organizations`);
    for (const { keys, sort_key, content, offers, parents } of rows) {
      if (!offers) {
        rejections.add({ resource: 'Organization', key: keys[0]!, name: content.name, reason: 'no usable endpoint' });
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
    ...keys.map((key) => ({ rank: key.startsWith('Organization/') ? 1 : 0, key })),
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
