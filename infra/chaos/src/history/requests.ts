import type { Random } from '@tributary/test-environment';
import { basic, criteriaOf, stateOf } from './basic';
import { type Answer, type Request, versionOfEtag } from './fhir-client';
import { largeBinary } from './large-binary';
import type { Intent, VersionState } from './operation';

/** The resources of one user that requests use. */
export interface Subject {
  readonly user: number;
  /** The access token. */
  readonly token: string;
  readonly ids: string[];
  /** Of Binaries with content above 1 MB; there may be none. */
  readonly largeIds: readonly string[];
  /** Values that conditional interactions search for. */
  readonly slots: readonly string[];
  /** The versions received last, for If-Match. */
  readonly versions: Map<string, number>;
}

/** The parsed response to a request. */
export interface Findings {
  readonly written: readonly VersionState[];
  readonly seen: readonly VersionState[];
}

/** A request with its possible writes and the parser of its response, which is used for status 2xx only. */
interface Plan {
  readonly request: Request;
  readonly intents?: readonly Intent[];
  read(answer: Answer): Findings;
}

export const nothing: Findings = { written: [], seen: [] };

const weights = {
  put: 22,
  putIfMatch: 10,
  putIfNoneMatch: 3,
  delete: 14,
  deleteIfMatch: 3,
  patch: 5,
  create: 2,
  conditionalCreate: 7,
  conditionalUpdate: 5,
  conditionalDelete: 1,
  batch: 9,
  transaction: 11,
  read: 6,
  vread: 2,
  search: 2,
  history: 1,
};
/** With large Binaries in addition. They take much longer than the others. */
const weightsWithLarge = { ...weights, putLarge: 2, deleteLarge: 1, readLarge: 1 };
type Kind = keyof typeof weightsWithLarge;

/** Generates random requests for a few resources. */
export class Requests {
  #markers = 0;

  constructor(
    private readonly random: Random,
    private readonly client: number,
  ) {}

  next(subject: Subject): Plan & { readonly name: string } {
    const { random } = this;
    const name: Kind = subject.largeIds.length > 0 ? weighted(random, weightsWithLarge) : weighted(random, weights);
    const ids = name.endsWith('Large') ? subject.largeIds : subject.ids;
    return { name, ...this.plan(name, subject, random.pick(ids), random.pick(subject.slots)) };
  }

  private plan(kind: Kind, subject: Subject, id: string, slot: string): Plan {
    const version = subject.versions.get(id) ?? 1;
    switch (kind) {
      case 'put':
        return this.put(id);
      case 'putIfMatch':
        return this.put(id, { 'If-Match': `W/"${version}"` });
      case 'putIfNoneMatch':
        return this.put(id, { 'If-None-Match': '*' });
      case 'delete':
        return deleting(`/Basic/${id}`, id);
      case 'deleteIfMatch':
        return deleting(`/Basic/${id}`, id, { 'If-Match': `W/"${version}"` });
      case 'patch':
        return this.patch(id);
      case 'create':
        return this.writing('POST', '/Basic', `unsought-${this.client}`);
      case 'conditionalCreate':
        return this.writing('POST', '/Basic', slot, { 'If-None-Exist': criteriaOf(slot) });
      case 'conditionalUpdate':
        return this.writing('PUT', `/Basic?${criteriaOf(slot)}`, slot);
      case 'conditionalDelete':
        return {
          request: { method: 'DELETE', path: `/Basic?${criteriaOf(slot)}` },
          intents: [{ id: undefined, deleted: true }],
          read: () => nothing,
        };
      case 'batch':
      case 'transaction':
        return this.bundle(kind, subject);
      case 'read':
        return reading(`/Basic/${id}`, seenAlone);
      case 'vread':
        return reading(`/Basic/${id}/_history/${1 + this.random.below(version)}`, seenAlone);
      case 'search':
        return reading('/Basic?_count=1000', seenInBundle);
      case 'history':
        return reading(`/Basic/${id}/_history?_count=1000`, seenInBundle);
      case 'putLarge':
        return this.putLarge(id);
      case 'deleteLarge':
        return deleting(`/Binary/${id}`, id);
      case 'readLarge':
        return reading(`/Binary/${id}`, seenAlone);
    }
  }

  private put(id: string, headers: Record<string, string> = {}): Plan {
    return this.writing('PUT', `/Basic/${id}`, `id-${id}`, headers, id);
  }

  private putLarge(id: string): Plan {
    const marker = this.marker();
    return {
      request: { method: 'PUT', path: `/Binary/${id}`, body: largeBinary(marker, id) },
      intents: [{ id, marker }],
      read: ({ status, etag }) => writtenAt(status, id, etag, marker),
    };
  }

  private writing(method: string, path: string, slot: string, headers: Record<string, string> = {}, id?: string): Plan {
    const marker = this.marker();
    return {
      request: { method, path, body: basic(marker, slot, id), headers },
      intents: [{ id, marker }],
      read: (answer) =>
        isFound(method, answer.status)
          ? seenAlone(answer)
          : writtenAt(answer.status, id ?? idIn(answer.location), answer.etag, marker),
    };
  }

  private patch(id: string): Plan {
    const marker = this.marker();
    return {
      request: {
        method: 'PATCH',
        path: `/Basic/${id}`,
        body: [{ op: 'replace', path: '/code/text', value: marker }],
        contentType: 'application/json-patch+json',
      },
      intents: [{ id, marker }],
      read: ({ status, etag }) => writtenAt(status, id, etag, marker),
    };
  }

  private bundle(type: 'batch' | 'transaction', subject: Subject): Plan {
    const ids = some(this.random, subject.ids, 1 + this.random.below(4));
    const parts = ids.map((id) => this.entry(type, id, subject));
    return {
      request: {
        method: 'POST',
        path: '',
        body: { resourceType: 'Bundle', type, entry: parts.map(({ entry }) => entry) },
      },
      intents: parts.map(({ intent }) => intent),
      read: ({ body }) => {
        const entries = (body as { entry?: { response?: EntryResponse }[] }).entry ?? [];
        const findings = parts.map(({ read }, index) => read(entries[index]?.response ?? {}));
        return { written: findings.flatMap(({ written }) => written), seen: findings.flatMap(({ seen }) => seen) };
      },
    };
  }

  private entry(type: 'batch' | 'transaction', id: string, subject: Subject): BundlePart {
    const marker = this.marker();
    const slot = this.random.pick(subject.slots);
    switch (weighted(this.random, { put: 6, delete: 3, create: 2 })) {
      case 'put':
        return {
          entry: { resource: basic(marker, `id-${id}`, id), request: { method: 'PUT', url: `Basic/${id}` } },
          intent: { id, marker },
          read: ({ status, etag }) => writtenAt(statusOf(status), id, versionOfEtag(etag), marker),
        };
      case 'delete':
        return {
          entry: { request: { method: 'DELETE', url: `Basic/${id}` } },
          intent: { id, deleted: true },
          read: ({ status, etag }) => deletedIn(type, statusOf(status), id, versionOfEtag(etag)),
        };
      case 'create': {
        const condition = type === 'batch' ? { ifNoneExist: criteriaOf(slot) } : {};
        return {
          entry: { resource: basic(marker, slot), request: { method: 'POST', url: 'Basic', ...condition } },
          intent: { id: undefined, marker },
          read: ({ status, etag, location }) =>
            isFound('POST', statusOf(status))
              ? nothing
              : writtenAt(statusOf(status), idIn(location), versionOfEtag(etag), marker),
        };
      }
    }
  }

  private marker(): string {
    return `${this.client}-${this.#markers++}`;
  }
}

interface EntryResponse {
  readonly status?: string;
  readonly etag?: string;
  readonly location?: string;
}

interface BundlePart {
  readonly entry: object;
  readonly intent: Intent;
  read(response: EntryResponse): Findings;
}

function deleting(path: string, id: string, headers: Record<string, string> = {}): Plan {
  return {
    request: { method: 'DELETE', path, headers },
    intents: [{ id, deleted: true }],
    // A response without a version: there was nothing to delete.
    read: ({ etag }) => (etag === undefined ? nothing : { written: [{ id, version: etag, deleted: true }], seen: [] }),
  };
}

function reading(path: string, read: Plan['read']): Plan {
  return { request: { method: 'GET', path }, read };
}

function statusOf(text: string | undefined): number {
  return Number(text?.slice(0, 3));
}

function idIn(location: string | undefined): string | undefined {
  return /\/Basic\/([0-9a-f-]+)\/_history\//.exec(location ?? '')?.[1];
}

/** A conditional create that finds a resource returns it with status 200 and writes nothing. */
function isFound(method: string, status: number | undefined): boolean {
  return method === 'POST' && status === 200;
}

function writtenAt(
  status: number | undefined,
  id: string | undefined,
  version: number | undefined,
  marker: string,
): Findings {
  if (status === undefined || status >= 300 || id === undefined || version === undefined) return nothing;
  return { written: [{ id, version, marker }], seen: [] };
}

/** In a transaction, the response for a resource that was already deleted has the version of that deletion. */
function deletedIn(type: 'batch' | 'transaction', status: number, id: string, version: number | undefined): Findings {
  if (status >= 300 || version === undefined) return nothing;
  const state = [{ id, version, deleted: true as const }];
  return type === 'batch' ? { written: state, seen: [] } : { written: [], seen: state };
}

function seenAlone({ body }: Answer): Findings {
  return { written: [], seen: [stateOf(body)] };
}

function seenInBundle({ body }: Answer): Findings {
  const entries = (body as { entry?: { resource?: unknown }[] }).entry ?? [];
  return { written: [], seen: entries.flatMap(({ resource }) => (resource === undefined ? [] : [stateOf(resource)])) };
}

/** Picks a key with a probability proportional to its weight. */
function weighted<T extends string>(random: Random, weights: Readonly<Record<T, number>>): T {
  return random.pick((Object.keys(weights) as T[]).flatMap((name) => Array<T>(weights[name]).fill(name)));
}

/** `count` different items in random order. */
function some<T>(random: Random, items: readonly T[], count: number): T[] {
  const rest = [...items];
  const chosen: T[] = [];
  while (chosen.length < count && rest.length > 0) chosen.push(...rest.splice(random.below(rest.length), 1));
  return chosen;
}

export function uuid(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
