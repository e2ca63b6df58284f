import { createHash } from 'node:crypto';
import type { SearchsetPage } from '../../health-system/searchset';

/** How many empty pages in a row may have a next page: some servers filter after paging. */
const maxEmptyPages = 20;
/** More pages than any real search has. */
const maxPages = 100_000;

/** The pages of one search that were read, to detect a server whose pages never end. Holds digests only. */
export class VisitedPages {
  readonly #urls = new Set<string>();
  readonly #contents = new Set<string>();
  #emptyPages = 0;

  /** Adds a page. @returns why the search must stop after it; undefined when it may continue */
  add(url: string, page: SearchsetPage): string | undefined {
    this.#urls.add(digest(url));
    if (this.#urls.size > maxPages) return 'its pages do not end';
    if (page.resources.length === 0)
      return ++this.#emptyPages > maxEmptyPages ? 'its pages are empty and do not end' : undefined;
    this.#emptyPages = 0;
    const content = digest(page.resources.map(({ key }) => key).join());
    // The same resources under another URL: the server started over.
    if (this.#contents.has(content)) return 'its pages lead in a circle';
    this.#contents.add(content);
    return undefined;
  }

  has(url: string): boolean {
    return this.#urls.has(digest(url));
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 22);
}
