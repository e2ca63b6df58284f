import type { StoredResource } from '../records/stored-resource';
import type { PageEntry, SearchPage } from '../scenarios/scenario';

/** An entry for a resource that matched. */
export function matchEntry(base: string, resource: StoredResource): PageEntry {
  return { fullUrl: `${base}/${resource.type}/${resource.id}`, text: resource.text, mode: 'match' };
}

/** Writes a page as a searchset Bundle; the resources go in as the texts they are. */
export function pageText(page: SearchPage, id: string, now: number): string {
  const head: Record<string, unknown> = {
    resourceType: 'Bundle',
    id,
    meta: { lastUpdated: new Date(now).toISOString() },
    type: 'searchset',
    ...(page.total === undefined ? {} : { total: page.total }),
    link: page.links,
  };
  const entries = page.entries.map(({ fullUrl, text, mode }) => {
    const before = fullUrl === undefined ? '' : `"fullUrl":${JSON.stringify(fullUrl)},`;
    return `{${before}"resource":${text},"search":{"mode":"${mode}"}}`;
  });
  const start = JSON.stringify(head).slice(0, -1);
  return entries.length === 0 ? `${start}}` : `${start},"entry":[${entries.join(',')}]}`;
}
