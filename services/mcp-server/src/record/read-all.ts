import type { FhirVersion } from '@tributary/contracts';
import { type Node, textAt } from '../fhir/json';
import type { RecordApi } from './record-api';

/** A search in one release. */
export interface ReleaseSearch {
  release: FhirVersion;
  type: string;
  query: string;
}

/** A resource as R4, with its place in the record. */
export interface Found {
  resource: Node;
  release: FhirVersion;
  /** `<release>/<type>/<id>`. */
  reference: string;
}

export interface Reading {
  found: Found[];
  /** The searches that have more matches than were read. */
  cutOff: ReleaseSearch[];
  /** What the server reports, such as resources that it could not convert to R4. */
  reported: string[];
}

const pageSize = 500;

/** Reads the first `limit` matches of each search as R4, all searches at once. */
export async function readAll(api: RecordApi, searches: readonly ReleaseSearch[], limit: number): Promise<Reading> {
  const readings = await Promise.all(searches.map((search) => readPages(api, search, limit)));
  return {
    found: readings.flatMap(({ found }) => found),
    cutOff: readings.flatMap(({ cutOff }) => cutOff),
    reported: [...new Set(readings.flatMap(({ reported }) => reported))],
  };
}

async function readPages(api: RecordApi, search: ReleaseSearch, limit: number): Promise<Reading> {
  const { release, type, query } = search;
  const found: Found[] = [];
  const reported = new Set<string>();
  const parameters = [query, `_count=${Math.min(pageSize, limit)}`].filter(Boolean).join('&');
  let page: string | undefined = parameters;
  while (page !== undefined && found.length < limit) {
    const { matches, next, reported: messages } = await api.search(release, type, page, 'r4');
    for (const resource of matches) found.push({ resource, release, reference: referenceOf(release, resource) });
    for (const message of messages) reported.add(`${release}: ${message}`);
    page = next;
  }
  return { found, cutOff: page === undefined ? [] : [search], reported: [...reported] };
}

/** The reference of a resource in the record, as the tools take and return it. */
export function referenceOf(release: FhirVersion, resource: Node): string {
  return `${release}/${textAt(resource, 'resourceType')}/${textAt(resource, 'id')}`;
}

/** The host from which a resource was collected; undefined when the application created the resource. */
export function sourceOf(resource: Node): string | undefined {
  const address = textAt(resource, 'meta', 'source');
  return address !== undefined && URL.canParse(address) ? new URL(address).host || undefined : undefined;
}
