import { createHash } from 'node:crypto';
import type { SearchsetPage } from './searchset';

/** So many pages in a row may be empty and lead on: some servers filter after they have paged. */
const mostEmptyPages = 20;
/** More pages than any search has. */
const mostPages = 100_000;

/** The pages of one search that were read, so that a server which leads in a circle is found out. Holds digests only. */
export class PageTrail {
  readonly #addresses = new Set<string>();
  readonly #contents = new Set<string>();
  #empty = 0;

  /**
   * Notes a page.
   * @returns why the search cannot go on behind it; undefined when it can
   */
  note(address: string, page: SearchsetPage): string | undefined {
    this.#addresses.add(digest(address));
    if (this.#addresses.size > mostPages) return 'its pages do not end';
    if (page.resources.length === 0)
      return ++this.#empty > mostEmptyPages ? 'its pages are empty and do not end' : undefined;
    this.#empty = 0;
    const content = digest(page.resources.map(({ key }) => key).join());
    // The same resources under another address: the server begins again.
    if (this.#contents.has(content)) return 'its pages lead in a circle';
    this.#contents.add(content);
    return undefined;
  }

  hasRead(address: string): boolean {
    return this.#addresses.has(digest(address));
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 22);
}
