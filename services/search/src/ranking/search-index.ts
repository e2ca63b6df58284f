import { sortKey } from './fold';
import type { Postings } from './postings';
import { readQuery } from './query-terms';
import { Scorer } from './scorer';
import type { Vocabulary } from './vocabulary';

const rememberedQueries = 2000;
/** How far down the results of a query are remembered. */
const rememberedLength = 200;

export interface Found {
  total: number;
  /** The numbers of the documents of the page, best first. */
  page: number[];
}

/**
 * Finds documents by text. Documents are numbered in the order of their names, which is also the order of equals, so results are the same everywhere.
 *
 * A document is found when it has all telling words of the query, each exactly, by its beginning, or, when no word of the index
 * begins so, with a small typo. When none has them all, typos are allowed everywhere; when still none does, the
 * documents with most of the words are found.
 */
export class SearchIndex {
  readonly #scorer: Scorer;
  readonly #recent = new RecentResults();

  constructor(
    readonly size: number,
    private readonly vocabulary: Vocabulary,
    postings: Postings,
    nameLengths: Uint8Array,
  ) {
    this.#scorer = new Scorer(vocabulary, postings, nameLengths);
  }

  /** Without a query, or with one that has neither letter nor digit, all documents by name. */
  search(query: string | undefined, offset: number, limit: number): Found {
    if (query === undefined || sortKey(query) === '') return this.#byName(offset, limit);
    if (offset + limit > rememberedLength) {
      this.#find(query);
      return this.#scorer.best(offset, limit);
    }
    let found = this.#recent.get(query);
    if (!found) {
      this.#find(query);
      found = this.#scorer.best(0, rememberedLength);
      this.#recent.set(query, found);
    }
    return { total: found.total, page: found.page.slice(offset, offset + limit) };
  }

  #find(query: string): void {
    const terms = readQuery(query, this.vocabulary, false);
    if (!this.#scorer.findAll(terms)) {
      const forgiving = readQuery(query, this.vocabulary, true);
      if (!this.#scorer.findAll(forgiving)) this.#scorer.findMost(forgiving);
    }
  }

  #byName(offset: number, limit: number): Found {
    const length = Math.max(0, Math.min(limit, this.size - offset));
    return { total: this.size, page: Array.from({ length }, (_, index) => offset + index) };
  }
}

/**
 * The last queries with their first pages. People who type send the same few beginnings again and again, and those are just the queries
 * that find half the directory; results can never be stale, because an index never changes.
 */
class RecentResults {
  readonly #results = new Map<string, Found>();

  get(query: string): Found | undefined {
    const found = this.#results.get(query);
    if (found) {
      this.#results.delete(query);
      this.#results.set(query, found);
    }
    return found;
  }

  set(query: string, found: Found): void {
    this.#results.set(query, found);
    if (this.#results.size > rememberedQueries) this.#results.delete(this.#results.keys().next().value!);
  }
}
