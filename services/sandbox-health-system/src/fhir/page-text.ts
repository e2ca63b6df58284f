import type { StoredResource } from '../records/stored-resource';
import type { PageEntry, SearchPage } from '../scenarios/scenario';

/** An entry with the search mode `match`. */
export function matchEntry(base: string, resource: StoredResource): PageEntry {
  return { fullUrl: `${base}/${resource.type}/${resource.id}`, text: resource.text, mode: 'match' };
}

/** Renders a page as a searchset Bundle; the text of the resources is kept. */
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
