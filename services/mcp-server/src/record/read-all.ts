import type { FhirVersion } from '@tributary/contracts';
import { type Node, textAt } from '../fhir/json';
import type { RecordApi } from './record-api';

/** A search in one release. */
export interface ReleaseSearch {
  release: FhirVersion;
  type: string;
  query: string;
}

/** A resource as R4, and where the record has it. */
export interface Found {
  resource: Node;
  release: FhirVersion;
  /** `<release>/<type>/<id>`. */
  reference: string;
}

/** What was kept of the matches of a search. */
export interface SearchReading<T> {
  search: ReleaseSearch;
  items: T[];
  /** How many matches were read. */
  count: number;
  /** Why there are more matches than were read: their number, or their size. */
  cutOff: 'number' | 'size' | undefined;
}

export interface Reading<T> {
  readings: SearchReading<T>[];
  /** What the server reports, such as resources that it could not convert to R4. */
  reported: string[];
}

const pageSize = 500;

/**
 * Reads the first `limit` matches of each search as R4, of the person to whom the call is narrowed. Each page is
 * reduced when it arrives, so that the content of the resources, such as the data of attachments, is not kept.
 * @param reduce returns plain data, which can be cloned
 */
export async function readAll<T>(
  api: RecordApi,
  searches: readonly ReleaseSearch[],
  limit: number,
  reduce: (page: Found[]) => T[] | Promise<T[]>,
): Promise<Reading<T>> {
  const reported = new Set<string>();
  const readPages = async (search: ReleaseSearch): Promise<SearchReading<T>> => {
    const { release, type, query } = search;
    const items: T[] = [];
    let count = 0;
    const counted = [query, `_count=${Math.min(pageSize, limit)}`].filter(Boolean).join('&');
    let page = api.narrowed(release, type, counted);
    while (page !== undefined) {
      if (count >= limit) return { search, items, count, cutOff: 'number' };
      if (api.isExhausted) return { search, items, count, cutOff: 'size' };
      const found = await api.search(release, type, page, 'r4');
      const reduced = await reduce(
        found.matches.map((resource) => ({ resource, release, reference: referenceOf(release, resource) })),
      );
      // A string of a parsed page can be a part of the text of the page, and would keep all of it in memory. A clone
      // is not.
      items.push(...structuredClone(reduced));
      count += found.matches.length;
      for (const message of found.reported) reported.add(`${release}: ${message}`);
      page = found.next;
    }
    return { search, items, count, cutOff: undefined };
  };
  const readings = await Promise.all(searches.map(readPages));
  return { readings, reported: [...reported] };
}

/** The reference of a resource in the record, as the tools take and return it. */
export function referenceOf(release: FhirVersion, resource: Node): string {
  return `${release}/${textAt(resource, 'resourceType')}/${textAt(resource, 'id')}`;
}
