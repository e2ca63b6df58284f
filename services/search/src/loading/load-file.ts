import type { ClientMode, FhirVersion, HealthSystemEndpoint } from '@tributary/contracts';
import type { Pool, PoolClient } from 'pg';
import { offeredReleases } from '../directory/directory-entry';
import {
  bumpVersion,
  deleteStaleKeys,
  selectFirstEntries,
  countPlannedRemovals,
  insertNew,
  upsertSource,
  markRemoved,
  updateChanged,
  upsertKeys,
} from './apply-statements';
import { type Validators, openFile } from './file-source';
import { LoadCounts, type LoadReport, type Rejection } from './load-report';
import { stageFile } from './stage-file';
import { stageDirectoryEntries } from './stage-entries';
import { InvalidFile } from './split-file';
import { analyzeStagedIds } from './staging-statements';

export interface LoadOptions {
  /** A file or an http(s) URL. */
  origin: string;
  /** Name of the source. Entries of the same source that the file no longer holds are removed. */
  source: string;
  /** Loads even if more than a fifth of the entries would be removed, and even if the server reports no change. */
  force: boolean;
  sandbox: boolean;
  /** Which clients see the health systems of the source. Without it the mode stays, and is `live` for a new source. */
  mode?: ClientMode;
  /** The release of endpoints that name none. */
  release?: FhirVersion;
  /** Loads rows of endpoint lists whose address is that of a test system. */
  keepTestSystems?: boolean;
  /**
   * Called with addresses whose release only their own `/metadata` states, after the transaction is rolled back; then
   * the file is read again. Without it such endpoints are rejected, unless earlier checks know their release.
   */
  verify?: (addresses: string[]) => Promise<void>;
  onProgress?: (progress: LoadProgress) => void;
  onRejection?: (rejection: Rejection) => void;
  /** Called before the file is read again; the rejections follow once more. */
  onRestart?: () => void;
}

export interface LoadProgress {
  organizations: number;
  endpoints: number;
  bytes: number;
  size: number | undefined;
}

/** The load would remove too many entries and was rolled back. */
export class LoadRefused extends Error {
  override readonly name = 'LoadRefused';
}

/** The largest share of the entries of a source that a load may remove. */
const maxRemovedShare = 1 / 5;
const reportedEntries = 20;

/** Ends the transaction of a load whose endpoints are to be verified first. */
class Unverified extends Error {
  constructor(readonly addresses: string[]) {
    super('endpoints are to be verified first');
  }
}

/**
 * Loads a file into the directory, in one transaction: a Bundle of SMART User-access Brands, or an endpoint list. An
 * advisory lock serializes loads; searches are not blocked. No health system is called within the transaction.
 * @throws InvalidFile when the file has neither format or is truncated
 * @throws LoadRefused when more than a fifth of the source's entries would be removed, or none would be left
 */
export async function loadFile(pool: Pool, options: LoadOptions): Promise<LoadReport> {
  try {
    return await loadOnce(pool, options);
  } catch (error) {
    if (!(error instanceof Unverified)) throw error;
    const { verify, onRestart, ...again } = options;
    await verify?.(error.addresses);
    onRestart?.();
    return await loadOnce(pool, again);
  }
}

async function loadOnce(pool: Pool, options: LoadOptions): Promise<LoadReport> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    // Behind a connection pooler the timeouts are settings of the role; a load may run longer.
    await client.query(
      'set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0',
    );
    await client.query(`select pg_advisory_xact_lock(hashtextextended('load the directory of health systems', 0))`);
    const report = await loadInTransaction(client, options);
    await client.query('commit');
    client.release();
    return report;
  } catch (error) {
    const lost = await client.query('rollback').then(
      () => false,
      () => true,
    );
    client.release(lost);
    throw error instanceof InvalidFile
      ? new InvalidFile(`${options.origin}: ${error.message}`, { cause: error })
      : error;
  }
}

async function loadInTransaction(client: PoolClient, options: LoadOptions): Promise<LoadReport> {
  const { origin, source, mode, force, sandbox, release, keepTestSystems = false, onProgress, onRejection } = options;
  const began = performance.now();
  const counts = new LoadCounts((rejection) => onRejection?.(rejection));
  const progress: LoadProgress = { bytes: 0, size: undefined, organizations: 0, endpoints: 0 };
  // With these options an unchanged file can have another result.
  const isUnconditional = force || keepTestSystems || release !== undefined || mode !== undefined;
  const known: Validators = isUnconditional ? {} : await validatorsOf(client, source, origin);
  const opened = await openFile(origin, { known, sandbox, onBytes: (count) => (progress.bytes += count) });
  const report = async (
    status: LoadReport['status'],
    read: Omit<LoadReport, 'source' | 'origin' | 'status' | 'merged' | 'rejected' | 'seconds' | 'entry'>,
  ): Promise<LoadReport> => ({
    source,
    origin,
    status,
    ...read,
    ...counts.summarize(),
    seconds: Math.round(performance.now() - began) / 1000,
    entry: await entriesOf(client, source),
  });
  if (opened === 'unchanged')
    return report('unchanged', {
      format: null,
      releases: { extension: 0, address: 0, file: 0, metadata: 0 },
      total: await countPresent(client, source),
      added: 0,
      changed: 0,
      removed: 0,
      organizations: 0,
      endpoints: 0,
    });

  progress.size = opened.size;
  const { unverified, isIncomplete, ...staged } = await stageFile(client, opened.bytes, {
    sandbox,
    release,
    keepTestSystems,
    counts,
    onRead: (organizations, endpoints) => onProgress?.(Object.assign(progress, { organizations, endpoints })),
  });
  if (unverified.length > 0 && options.verify) throw new Unverified(unverified);
  const total = await stageDirectoryEntries(client, { source, format: staged.format, counts });
  await assertSafeToApply(client, { source, origin, total, force });
  // Without validators the next load reads the file again, and may know more releases then.
  const validators = isIncomplete ? {} : opened;
  return report('loaded', { total, ...(await apply(client, { source, origin, mode, validators })), ...staged });
}

async function validatorsOf(client: PoolClient, source: string, origin: string): Promise<Validators> {
  const { rows } = await client.query<{ etag: string | null; last_modified: string | null }>(
    'select etag, last_modified from source where name = $1 and origin = $2',
    [source, origin],
  );
  return { etag: rows[0]?.etag ?? undefined, lastModified: rows[0]?.last_modified ?? undefined };
}

async function assertSafeToApply(
  client: PoolClient,
  { source, origin, total, force }: { source: string; origin: string; total: number; force: boolean },
): Promise<void> {
  if (force) return;
  const { present, removed } = (
    await client.query<{ present: number; removed: number }>(countPlannedRemovals, [source])
  ).rows[0]!;
  if (total === 0)
    throw new LoadRefused(
      `${origin} holds no health system that can be used${present > 0 ? `; all ${present} of ${source} would be removed` : ''}. Use --force if that is meant`,
    );
  if (removed > present * maxRemovedShare)
    throw new LoadRefused(
      `${origin} would remove ${removed} of the ${present} health systems of ${source}, more than a fifth. Use --force if that is meant`,
    );
}

async function countPresent(client: PoolClient, source: string): Promise<number> {
  const { rows } = await client.query<{ present: number }>(
    'select count(*)::int as present from health_system where source = $1 and removed_at is null',
    [source],
  );
  return rows[0]!.present;
}

async function apply(
  client: PoolClient,
  {
    source,
    origin,
    mode,
    validators,
  }: { source: string; origin: string; mode: ClientMode | undefined; validators: Validators },
): Promise<{ added: number; changed: number; removed: number }> {
  const modeBefore = await modeOf(client, source);
  const { etag = null, lastModified = null } = validators;
  await client.query(upsertSource, [source, origin, etag, lastModified, mode ?? null]);
  const hasNewMode = (await modeOf(client, source)) !== modeBefore;
  const removed = (await client.query(markRemoved, [source])).rowCount ?? 0;
  const changed = (await client.query(updateChanged)).rowCount ?? 0;
  const added = (await client.query(insertNew, [source])).rowCount ?? 0;
  await client.query(analyzeStagedIds);
  await client.query(deleteStaleKeys, [source]);
  await client.query(upsertKeys, [source]);
  if (hasNewMode || removed + changed + added > 0) await client.query(bumpVersion);
  return { added, changed, removed };
}

async function modeOf(client: PoolClient, source: string): Promise<string | undefined> {
  return (await client.query<{ mode: string }>('select mode from source where name = $1', [source])).rows[0]?.mode;
}

async function entriesOf(client: PoolClient, source: string): Promise<LoadReport['entry']> {
  const { rows } = await client.query<{ id: string; name: string; address: string; endpoints: HealthSystemEndpoint[] }>(
    selectFirstEntries,
    [source, reportedEntries],
  );
  return rows.map(({ id, name, address, endpoints }) => ({
    id: Number(id),
    name,
    address,
    fhirVersions: offeredReleases(endpoints),
  }));
}
