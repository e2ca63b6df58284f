import { forEachConcurrently } from '@tributary/service-kit';
import { stateOf } from './basic';
import { takeExport } from './background';
import type { ExportSource } from './export-source';
import { send, versionOfEtag } from './fhir-client';
import type { State, VersionState } from './operation';
import type { Subject } from './requests';

/** An entry of a history. Time in epoch milliseconds. */
export type HistoryEntry = VersionState & { readonly lastUpdated: number };

/** The state of one user's record after the run, as each interaction returns it. */
export interface FinalState {
  readonly user: number;
  readonly history: readonly HistoryEntry[];
  /**
   * The result of reading each resource; the version is undefined for a deletion, since the response need not contain
   * it.
   */
  readonly reads: ReadonlyMap<string, ReadAnswer>;
  /** The result of reading each version, by `id/version`. */
  readonly versionReads: ReadonlyMap<string, ReadAnswer>;
  readonly searched: readonly VersionState[];
  readonly exported: readonly VersionState[];
}

export type ReadAnswer = State & { readonly version: number | undefined };

interface BundleEntry {
  readonly resource?: unknown;
  readonly fullUrl?: string;
  readonly response?: { readonly etag?: string; readonly lastModified?: string };
}

interface Bundle {
  readonly link?: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly BundleEntry[];
}

const readsAtOnce = 16;

export async function readFinalState(
  replicaUrl: string,
  source: ExportSource,
  { user, token, largeIds }: Pick<Subject, 'user' | 'token' | 'largeIds'>,
): Promise<FinalState> {
  const entries = await allEntries(replicaUrl, token, '/_history?_count=1000');
  const history = entries.map(historyEntry);
  const pathOf = (id: string): string => `/${largeIds.includes(id) ? 'Binary' : 'Basic'}/${id}`;
  const reads = new Map<string, ReadAnswer>();
  await forEachConcurrently(new Set(history.map(({ id }) => id)), readsAtOnce, async (id) => {
    reads.set(id, await read(replicaUrl, token, pathOf(id)));
  });
  const versionReads = new Map<string, ReadAnswer>();
  await forEachConcurrently(history, readsAtOnce, async ({ id, version }) => {
    versionReads.set(`${id}/${version}`, await read(replicaUrl, token, `${pathOf(id)}/_history/${version}`));
  });
  const searched = await allEntries(replicaUrl, token, '/Basic?_count=1000');
  if (largeIds.length > 0) searched.push(...(await allEntries(replicaUrl, token, '/Binary?_count=1000')));
  return {
    user,
    history,
    reads,
    versionReads,
    searched: searched.map(({ resource }) => stateOf(resource)),
    exported: (await takeExport(source, user)).resources,
  };
}

/** The entries of all pages. */
async function allEntries(replicaUrl: string, token: string, path: string): Promise<BundleEntry[]> {
  const entries: BundleEntry[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { status, body } = await send(replicaUrl, token, { method: 'GET', path: next });
    if (status !== 200) throw new Error(`GET ${path} returned ${status}`);
    const bundle = body as Bundle;
    entries.push(...(bundle.entry ?? []));
    const url: string | undefined = bundle.link?.find(({ relation }) => relation === 'next')?.url;
    next = url?.slice(url.indexOf('/r4/') + '/r4'.length);
  }
  return entries;
}

function historyEntry({ resource, fullUrl, response }: BundleEntry): HistoryEntry {
  if (resource !== undefined) return stateOf(resource);
  return {
    id: fullUrl?.split('/').at(-1) ?? '',
    version: versionOfEtag(response?.etag) ?? 0,
    deleted: true,
    lastUpdated: Date.parse(response?.lastModified ?? ''),
  };
}

async function read(replicaUrl: string, token: string, path: string): Promise<ReadAnswer> {
  const { status, body, etag } = await send(replicaUrl, token, { method: 'GET', path });
  if (status === 200) return stateOf(body);
  if (status === 410) return { deleted: true, version: etag };
  throw new Error(`GET ${path} returned ${status}`);
}
