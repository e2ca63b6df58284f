import type { FhirVersion, HealthSystemEndpoint } from '@tributary/contracts';
import { DatabaseError, type PoolClient } from 'pg';
import { bundleEntry } from './brands-format';
import { readListRow } from './list-row';
import type { FileFormat, LoadCounts } from './load-report';
import { type EndpointOptions, type FoundReleases, findReleases, readEndpoint } from './read-endpoint';
import { type OrganizationContent, readOrganization } from './read-organization';
import type { ReleaseSource } from './release';
import { type FileElement, splitFile } from './split-file';
import { createStaging, stageEndpoints, stageOrganizations } from './staging-statements';
import { UnknownReleases } from './unknown-releases';

const batchSize = 500;
const notStorable = 'a text that cannot be stored';

interface OrganizationRow {
  ordinal: number;
  key: string;
  name: string;
  keys: string[];
  sort_key: string;
  part_of: string[];
  endpoint_keys: string[][];
  content: OrganizationContent;
}

interface EndpointRow {
  ordinal: number;
  keys: string[];
  offers: HealthSystemEndpoint[];
  found_by: ReleaseSource;
}

export interface StagingOptions extends EndpointOptions {
  /** Loads rows of endpoint lists whose address is that of a test system. */
  keepTestSystems: boolean;
}

export interface Staged {
  format: FileFormat;
  organizations: number;
  endpoints: number;
  releases: Record<ReleaseSource, number>;
  /** Addresses whose release is not known, and whose `/metadata` was not read or is due to be read again. */
  unverified: string[];
  /** Whether endpoints were rejected because their release is not known; a later load may find it. */
  isIncomplete: boolean;
}

/**
 * Reads the organizations and endpoints of a file into the staging tables of the transaction, in batches. Other
 * resources are ignored.
 */
export async function stageFile(
  client: PoolClient,
  bytes: AsyncIterable<Uint8Array>,
  options: StagingOptions & { counts: LoadCounts; onRead: (organizations: number, endpoints: number) => void },
): Promise<Staged> {
  await client.query(createStaging);
  const staging = new Staging(client, options.counts, options);
  let ordinal = 0;
  for await (const element of splitFile(bytes)) {
    ordinal++;
    if (element.member === 'entry') await staging.addEntry(element, ordinal);
    else await staging.addRow(element, ordinal);
    if (ordinal % batchSize === 0) options.onRead(staging.organizations, staging.endpoints);
  }
  const staged = await staging.finish();
  options.onRead(staged.organizations, staged.endpoints);
  return staged;
}

class Staging {
  organizations = 0;
  endpoints = 0;
  #format: FileFormat = 'brands';
  readonly #releases: Record<ReleaseSource, number> = { extension: 0, address: 0, file: 0, metadata: 0 };
  readonly #organizationRows: Batch<OrganizationRow>;
  readonly #endpointRows: Batch<EndpointRow>;
  readonly #unknown: UnknownReleases;
  #isIncomplete = false;

  constructor(
    private readonly client: PoolClient,
    private readonly counts: LoadCounts,
    private readonly options: StagingOptions,
  ) {
    this.#organizationRows = new Batch((rows) =>
      this.#writeEach(
        rows,
        (some) => this.#writeOrganizations(some),
        ({ key, name }) => this.#reject('Organization', key, name, notStorable),
      ),
    );
    this.#endpointRows = new Batch((rows) =>
      this.#writeEach(
        rows,
        (some) => this.#writeEndpoints(some),
        ({ keys, offers }) => this.#reject('Endpoint', keys[0]!, offers[0]?.fhir_base_url, notStorable),
      ),
    );
    this.#unknown = new UnknownReleases(client, batchSize);
  }

  /** Adds an element of `Bundle.entry`. */
  async addEntry(element: FileElement, ordinal: number): Promise<void> {
    const entry = 'value' in element ? bundleEntry.safeParse(element.value) : undefined;
    if (!entry?.success) {
      const reason = 'problem' in element ? element.problem : 'holds no resource';
      this.counts.reject({ resource: 'entry', key: `entry ${ordinal}`, reason });
      return;
    }
    const { fullUrl, resource } = entry.data;
    const key = fullUrl ?? `entry ${ordinal}`;
    if (resource.resourceType === 'Organization') {
      this.organizations++;
      const read = readOrganization(resource, fullUrl);
      if ('problem' in read) this.#reject('Organization', key, resource['name'], read.problem);
      else {
        const { keys, sortKey, partOf, endpointKeys, content } = read.value;
        await this.#organizationRows.add({
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
      this.endpoints++;
      const read = readEndpoint(resource, fullUrl, this.options);
      if ('problem' in read) this.#reject('Endpoint', key, resource['address'], read.problem);
      else await this.#addEndpoint({ ordinal, key, ...read.value });
    }
  }

  /** Adds a row of an endpoint list: an organization, and its endpoint unless another row had it. */
  async addRow(element: FileElement, ordinal: number): Promise<void> {
    this.#format = 'list';
    this.organizations++;
    const key = `row ${ordinal}`;
    const read = 'value' in element ? readListRow(element.value, this.options) : { problem: element.problem };
    if ('problem' in read) {
      const value = 'value' in element ? (element.value as { URL?: unknown; OrganizationName?: unknown }) : {};
      const isNamed = typeof value.OrganizationName === 'string' && value.OrganizationName.trim() !== '';
      this.#reject('Organization', key, isNamed ? value.OrganizationName : value.URL, read.problem);
      return;
    }
    const { sortKey, address, content, keys } = read.value;
    const found = findReleases([], address, this.options.release);
    if (found === 'other') {
      this.#reject('Organization', key, content.name, 'FHIR version is not offered');
      return;
    }
    await this.#organizationRows.add({
      ordinal,
      key: read.value.key,
      name: content.name,
      keys,
      sort_key: sortKey,
      part_of: [],
      endpoint_keys: [[address]],
      content,
    });
    await this.#addEndpoint({ ordinal, key: address, keys: [address], address, ...found });
  }

  async finish(): Promise<Staged> {
    await this.#organizationRows.flush();
    await this.#resolveUnknown();
    await this.#endpointRows.flush();
    return {
      format: this.#format,
      organizations: this.organizations,
      endpoints: this.endpoints,
      releases: this.#releases,
      unverified: this.#unknown.unverified(),
      isIncomplete: this.#isIncomplete,
    };
  }

  async #addEndpoint(
    endpoint: { ordinal: number; key: string; keys: string[]; address: string } & FoundReleases,
  ): Promise<void> {
    const { ordinal, keys, address, releases, foundBy } = endpoint;
    if (foundBy !== undefined) await this.#endpointRows.add(rowOf(ordinal, keys, address, releases, foundBy));
    else if (this.#unknown.add(endpoint)) await this.#resolveUnknown();
  }

  async #resolveUnknown(): Promise<void> {
    const isList = this.#format === 'list';
    for (const { endpoint, release, isFirst } of await this.#unknown.resolve()) {
      const { ordinal, key, keys, address } = endpoint;
      if (typeof release === 'object') {
        this.#isIncomplete = true;
        // The rows of a list share endpoints; each is reported once.
        if (isList && !isFirst) continue;
        if (isList) this.endpoints++;
        this.#reject('Endpoint', key, isList ? undefined : address, release.problem);
      } else await this.#endpointRows.add(rowOf(ordinal, keys, address, [release], 'metadata'));
    }
  }

  /**
   * Writes rows together. One that PostgreSQL refuses, for a NUL in a text for example, must not end the load: the rows
   * are halved until it is alone.
   */
  async #writeEach<Row>(rows: Row[], write: (rows: Row[]) => Promise<void>, refuse: (row: Row) => void): Promise<void> {
    await this.client.query('savepoint rows');
    try {
      await write(rows);
      await this.client.query('release savepoint rows');
    } catch (error) {
      if (!isOfValues(error)) throw error;
      await this.client.query('rollback to savepoint rows; release savepoint rows');
      if (rows.length === 1) return refuse(rows[0]!);
      const half = Math.ceil(rows.length / 2);
      await this.#writeEach(rows.slice(0, half), write, refuse);
      await this.#writeEach(rows.slice(half), write, refuse);
    }
  }

  async #writeOrganizations(rows: OrganizationRow[]): Promise<void> {
    const { rows: taken } = await this.client.query<{ ordinal: number }>(stageOrganizations, [JSON.stringify(rows)]);
    if (taken.length === rows.length) return;
    const ordinals = new Set(taken.map((row) => row.ordinal));
    for (const { ordinal, key, name } of rows)
      if (!ordinals.has(ordinal)) {
        if (this.#format === 'list') this.counts.merge('the same row again', name, 1);
        else this.#reject('Organization', key, name, 'published twice');
      }
  }

  async #writeEndpoints(rows: EndpointRow[]): Promise<void> {
    const { rows: taken } = await this.client.query<{ found_by: ReleaseSource }>(stageEndpoints, [
      JSON.stringify(rows),
    ]);
    for (const { found_by } of taken) this.#releases[found_by]++;
    if (this.#format === 'list') this.endpoints += taken.length;
  }

  #reject(resource: 'Organization' | 'Endpoint', key: string, name: unknown, reason: string): void {
    this.counts.reject({ resource, key, ...(typeof name === 'string' ? { name } : {}), reason });
  }
}

/** Whether PostgreSQL refuses values of a statement: data exceptions, and limits such as that of an index. */
function isOfValues(error: unknown): boolean {
  return error instanceof DatabaseError && /^(?:22|54)/.test(error.code ?? '');
}

function rowOf(
  ordinal: number,
  keys: string[],
  address: string,
  releases: FhirVersion[],
  foundBy: ReleaseSource,
): EndpointRow {
  return {
    ordinal,
    keys,
    offers: releases.map((fhirVersion) => ({ fhirVersion, fhir_base_url: address })),
    found_by: foundBy,
  };
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
