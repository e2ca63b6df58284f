import type { FhirExchange, Scenario, SearchPage } from '../scenario';

/** Small pages, so that every record has next links. */
export const smallPage = 15;

/** A scenario that rewrites the next link. */
export function withNextLink(
  name: string,
  does: string,
  write: (url: string, exchange: FhirExchange) => string,
): Scenario {
  return {
    name,
    area: 'next link',
    does,
    pageSize: (requested) => Math.min(requested, smallPage),
    page: (page, exchange) => withNext(page, (url) => write(url, exchange)),
  };
}

/** Changes the next link of a page; the last page has none and stays as it is. */
export function withNext(page: SearchPage, write: (url: string) => string): SearchPage {
  return {
    ...page,
    links: page.links.map((link) => (link.relation === 'next' ? { ...link, url: write(link.url) } : link)),
  };
}
