import type { FhirExchange, Scenario, SearchPage } from '../scenario';

/** Small pages, so that every record has next links. */
export const smallPage = 15;

/** A scenario that writes the next link in its own way. */
export function rewritingNext(
  name: string,
  does: string,
  write: (url: string, exchange: FhirExchange) => string,
): Scenario {
  return {
    name,
    area: 'next link',
    does,
    pageSize: (asked) => Math.min(asked, smallPage),
    page: (page, exchange) => withNext(page, (url) => write(url, exchange)),
  };
}

/** A page with its next link changed; a page without one is the last one, and stays so. */
export function withNext(page: SearchPage, write: (url: string) => string): SearchPage {
  return {
    ...page,
    links: page.links.map((link) => (link.relation === 'next' ? { ...link, url: write(link.url) } : link)),
  };
}
