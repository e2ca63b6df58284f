import type { PoolClient } from 'pg';
import { bundleEntry } from './brands-format';
import type { Rejections } from './load-report';
import { readEndpoint } from './read-endpoint';
import { type ReadOrganization, readOrganization } from './read-organization';
import { splitBundle } from './split-bundle';
import { createStaging, stageEndpoints, stageOrganizations } from './staging-statements';

const batchSize = 500;

interface OrganizationRow {
  ordinal: number;
  key: string;
  name: string;
  keys: string[];
  sort_key: string;
  part_of: string[];
  endpoint_keys: string[][];
  content: ReadOrganization['content'];
}

export interface Staged {
  organizations: number;
  endpoints: number;
}

/**
 * Reads the organizations and endpoints of a bundle into the staging tables of the transaction, in batches. Other
 * resources are ignored.
 */
export async function stageBundle(
  client: PoolClient,
  bytes: AsyncIterable<Uint8Array>,
  { sandbox, rejections, onRead }: { sandbox: boolean; rejections: Rejections; onRead: (staged: Staged) => void },
): Promise<Staged> {
  await client.query(createStaging);
  const staged: Staged = { organizations: 0, endpoints: 0 };
  let ordinal = 0;

  const organizations = new Batch(async (rows: OrganizationRow[]) => {
    const { rows: taken } = await client.query<{ ordinal: number }>(stageOrganizations, [JSON.stringify(rows)]);
    if (taken.length === rows.length) return;
    const ordinals = new Set(taken.map((row) => row.ordinal));
    for (const row of rows)
      if (!ordinals.has(row.ordinal))
        rejections.add({ resource: 'Organization', key: row.key, name: row.name, reason: 'published twice' });
  });
  const endpoints = new Batch(async (rows: object[]) => {
    await client.query(stageEndpoints, [JSON.stringify(rows)]);
  });

  for await (const element of splitBundle(bytes)) {
    ordinal++;
    const entry = 'value' in element ? bundleEntry.safeParse(element.value) : undefined;
    if (!entry?.success) {
      rejections.add({
        resource: 'entry',
        key: `entry ${ordinal}`,
        reason: 'problem' in element ? element.problem : 'holds no resource',
      });
      continue;
    }
    const { fullUrl, resource } = entry.data;
    const key = fullUrl ?? `entry ${ordinal}`;
    if (resource.resourceType === 'Organization') {
      staged.organizations++;
      const read = readOrganization(resource, fullUrl);
      if ('problem' in read)
        rejections.add({
          resource: 'Organization',
          key,
          ...(typeof resource['name'] === 'string' ? { name: resource['name'] } : {}),
          reason: read.problem,
        });
      else {
        const { keys, sortKey, partOf, endpointKeys, content } = read.value;
        await organizations.add({
          ordinal,
          key: keys[0]!,
          name: content.name,
          keys,
          sort_key: sortKey,
          part_of: partOf,
          endpoint_keys: endpointKeys,
          content,
        });
      }
    } else if (resource.resourceType === 'Endpoint') {
      staged.endpoints++;
      const read = readEndpoint(resource, fullUrl, sandbox);
      if ('problem' in read)
        rejections.add({
          resource: 'Endpoint',
          key,
          ...(typeof resource['address'] === 'string' ? { name: resource['address'] } : {}),
          reason: read.problem,
        });
      else await endpoints.add({ ordinal, ...read.value });
    }
    if (ordinal % batchSize === 0) onRead(staged);
  }
  await organizations.flush();
  await endpoints.flush();
  onRead(staged);
  return staged;
}

/** Collects rows and writes them in batches of 500. */
export class Batch<Row> {
  #rows: Row[] = [];

  constructor(private readonly write: (rows: Row[]) => Promise<void>) {}

  async add(row: Row): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length >= batchSize) await this.flush();
  }

  async flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length > 0) await this.write(rows);
  }
}
