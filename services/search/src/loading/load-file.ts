import type { ClientMode, HealthSystemEndpoint } from '@tributary/contracts';
import type { Pool } from 'pg';
import { offeredReleases } from '../directory/directory-entry';
import { buildEntries } from './build-entries';
import { DirectoryFile, type ReadingOptions } from './directory-file';
import { openFile } from './file-source';
import { LoadCounts, type LoadReport, type Rejection } from './load-report';
import { listSources, selectSource } from './sources';
import { InvalidFile } from './split-file';
import { storeEntries } from './store-entries';
import { resolveUnknownReleases } from './unknown-releases';

export interface LoadOptions extends Partial<ReadingOptions> {
  /** A file or an http(s) URL. */
  origin: string;
  /** Name of the source. Entries of the same source that the file no longer holds are removed. */
  source: string;
  /** Loads even if more than a fifth of the entries would be removed, and even if the server reports no change. */
  force: boolean;
  sandbox: boolean;
  /** Which clients see the health systems of the source. Without it the mode stays, and is `live` for a new source. */
  mode?: ClientMode | undefined;
  /**
   * Called with addresses whose release only their own `/metadata` states. Without it such endpoints are rejected,
   * unless earlier checks know their release.
   */
  verify?: ((addresses: string[]) => Promise<void>) | undefined;
  onProgress?: (progress: LoadProgress) => void;
  /** Also called by a load that is refused, and again when the file has to be read again. */
  onRejections?: (rejections: readonly Rejection[]) => void;
}

export interface LoadProgress {
  organizations: number;
  endpoints: number;
  bytes: number;
  size: number | undefined;
}

const reportedEntries = 20;

/**
 * Loads a file into the directory: a Bundle of SMART User-access Brands, or an endpoint list. The file is read, and its
 * endpoints are verified where that is necessary, before the transaction that stores its entries.
 * @throws InvalidFile when the file has neither format or is truncated
 * @throws LoadRefused when more than a fifth of the source's entries would be removed, or none would be left
 */
export async function loadFile(pool: Pool, options: LoadOptions): Promise<LoadReport> {
  const { origin, source, mode, force, sandbox, release, keepTestSystems = false, onProgress } = options;
  const began = performance.now();
  const counts = new LoadCounts();
  const progress: LoadProgress = { bytes: 0, size: undefined, organizations: 0, endpoints: 0 };
  const before = await selectSource(pool, source);
  // With these options an unchanged file can have another result.
  const isUnconditional = force || keepTestSystems || release !== undefined || mode !== undefined;
  const known =
    isUnconditional || before?.origin !== origin
      ? {}
      : { etag: before.etag ?? undefined, lastModified: before.last_modified ?? undefined };
  const opened = await openFile(origin, { known, sandbox, onBytes: (count) => (progress.bytes += count) });
  const report = async (
    read: Omit<LoadReport, 'source' | 'origin' | 'total' | 'merged' | 'rejected' | 'seconds' | 'entry'>,
  ): Promise<LoadReport> => ({
    source,
    origin,
    total: (await listSources(pool)).find(({ name }) => name === source)?.total ?? 0,
    ...read,
    ...counts.summarize(),
    seconds: Math.round(performance.now() - began) / 1000,
    entry: await firstEntries(pool, source),
  });
  const releases: LoadReport['releases'] = { extension: 0, address: 0, file: 0, metadata: 0 };
  if (opened === 'unchanged') {
    const none = { added: 0, changed: 0, removed: 0, organizations: 0, endpoints: 0 };
    return report({ status: 'unchanged', format: null, releases, ...none });
  }

  progress.size = opened.size;
  const reading = { sandbox, release, keepTestSystems };
  const file = await DirectoryFile.read(opened.bytes, reading, counts, ({ organizationCount, endpointCount }) =>
    onProgress?.(Object.assign(progress, { organizations: organizationCount, endpoints: endpointCount })),
  ).catch((error: unknown) => {
    throw error instanceof InvalidFile ? new InvalidFile(`${origin}: ${error.message}`, { cause: error }) : error;
  });
  const unknown = await resolveUnknownReleases(pool, file.endpoints, options.verify);
  for (const { endpoint, problem } of unknown)
    counts.reject('Endpoint', endpoint.keys[0]!, problem, file.format === 'list' ? undefined : endpoint.address);
  for (const { foundBy } of file.endpoints) if (foundBy) releases[foundBy]++;
  // Without validators the next load reads the file again, and may know more releases then.
  const validators = unknown.length > 0 ? {} : opened;
  const storing = { source, origin, loadedAt: before?.loaded_at, mode, force, validators };
  const stored = await storeEntries(pool, buildEntries(file, counts), storing).finally(() =>
    options.onRejections?.(counts.rejections),
  );
  // The other load may have read a later file.
  if (!stored) return loadFile(pool, options);
  const { format, organizationCount: organizations, endpointCount: endpoints } = file;
  return report({ status: 'loaded', format, releases, organizations, endpoints, ...stored });
}

async function firstEntries(pool: Pool, source: string): Promise<LoadReport['entry']> {
  const { rows } = await pool.query<{ id: string; name: string; address: string; endpoints: HealthSystemEndpoint[] }>(
    `select id::text, name, address, endpoints from health_system where source = $1 and removed_at is null
     order by sort_key, name, id limit $2`,
    [source, reportedEntries],
  );
  return rows.map(({ id, name, address, endpoints }) => ({
    id: Number(id),
    name,
    address,
    fhirVersions: offeredReleases(endpoints),
  }));
}
