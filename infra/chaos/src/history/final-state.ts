import { stateOf } from './basic';
import { type ExportSource, takeExport } from './background';
import { send } from './fhir-client';
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

interface HistoryBundle {
  readonly link?: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly resource?: unknown;
    readonly fullUrl?: string;
    readonly response?: { readonly etag?: string; readonly lastModified?: string };
  }[];
}

const readsAtOnce = 16;

export async function readFinalState(
  replicaUrl: string,
  source: ExportSource,
  { user, token }: Pick<Subject, 'user' | 'token'>,
): Promise<FinalState> {
  const entries = await allEntries(replicaUrl, token, '/_history?_count=1000');
  const history = entries.map(historyEntry);
  const ids = [...new Set(history.map(({ id }) => id))];
  const searched = await allEntries(replicaUrl, token, '/Basic?_count=1000');
  return {
    user,
    history,
    reads: new Map(await inParallel(ids, async (id) => [id, await read(replicaUrl, token, `/Basic/${id}`)])),
    versionReads: new Map(
      await inParallel(history, async ({ id, version }) => [
        `${id}/${version}`,
        await read(replicaUrl, token, `/Basic/${id}/_history/${version}`),
      ]),
    ),
    searched: searched.map(({ resource }) => stateOf(resource)),
    exported: (await takeExport(source, user)).resources,
  };
}

/** The entries of all pages. */
async function allEntries(
  replicaUrl: string,
  token: string,
  path: string,
): Promise<NonNullable<HistoryBundle['entry']>[number][]> {
  const entries: NonNullable<HistoryBundle['entry']>[number][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { status, body } = await send(replicaUrl, token, { method: 'GET', path: next });
    if (status !== 200) throw new Error(`GET ${path} returned ${status}`);
    const bundle: HistoryBundle = body as HistoryBundle;
    entries.push(...(bundle.entry ?? []));
    const url: string | undefined = bundle.link?.find(({ relation }) => relation === 'next')?.url;
    next = url?.slice(url.indexOf('/r4/') + '/r4'.length);
  }
  return entries;
}

function historyEntry({ resource, fullUrl, response }: NonNullable<HistoryBundle['entry']>[number]): HistoryEntry {
  if (resource !== undefined) return stateOf(resource);
  const [, version = ''] = /"(\d+)"/.exec(response?.etag ?? '') ?? [];
  return {
    id: fullUrl?.split('/').at(-1) ?? '',
    version: Number(version),
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

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  await Promise.all(
    Array.from({ length: readsAtOnce }, async () => {
      for (const [index, item] of waiting) results[index] = await work(item);
    }),
  );
  return results;
}
