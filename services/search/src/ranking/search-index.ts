import { sortKey } from './words';
import type { Postings } from './postings';
import { parseQuery } from './parse-query';
import { Scorer } from './scorer';
import type { Vocabulary } from './vocabulary';

const cachedQueries = 2000;
/** How many results of a query are cached. */
const cachedResults = 200;

export interface SearchResult {
  total: number;
  /** Document numbers of the page, best first. */
  page: number[];
}

/**
 * Full-text search over the health systems, in memory. Documents are numbered in the order of their names; equal scores
 * are ordered by number, so every replica returns the same order.
 *
 * A document matches when it has every required word of the query (`QueryTerm.isOptional`): exactly, by prefix or, when
 * no word of the index begins with it, by a fuzzy match. When no document matches, fuzzy matches are allowed for every
 * word. When there is still none, the documents with the largest number of required words match.
 *
 * The ranking is hand-written because MiniSearch is slower and finds less in `bench/ranking` (README, "Ranking").
 */
export class SearchIndex {
  readonly #scorer: Scorer;
  readonly #cache = new ResultCache();

  constructor(
    readonly size: number,
    private readonly vocabulary: Vocabulary,
    postings: Postings,
    nameLengths: Uint8Array,
  ) {
    this.#scorer = new Scorer(vocabulary, postings, nameLengths);
  }

  /** Returns a page of results; all documents by name when the query is missing or has neither letters nor digits. */
  search(query: string | undefined, offset: number, limit: number): SearchResult {
    if (query === undefined || sortKey(query) === '') return this.#byName(offset, limit);
    if (offset + limit > cachedResults) {
      this.#find(query);
      return this.#scorer.topRanked(offset, limit);
    }
    let found = this.#cache.get(query);
    if (!found) {
      this.#find(query);
      found = this.#scorer.topRanked(0, cachedResults);
      this.#cache.set(query, found);
    }
    return { total: found.total, page: found.page.slice(offset, offset + limit) };
  }

  #find(query: string): void {
    const terms = parseQuery(query, this.vocabulary, false);
    if (!this.#scorer.matchEvery(terms)) {
      const fuzzyTerms = parseQuery(query, this.vocabulary, true);
      if (!this.#scorer.matchEvery(fuzzyTerms)) this.#scorer.matchMost(fuzzyTerms);
    }
  }

  #byName(offset: number, limit: number): SearchResult {
    const length = Math.max(0, Math.min(limit, this.size - offset));
    return { total: this.size, page: Array.from({ length }, (_, index) => offset + index) };
  }
}

/**
 * LRU cache of the first results of queries. Users who type send the same short prefixes again and again, and these are
 * the slow queries, which match half the directory. Entries never become stale, because an index never changes.
 */
class ResultCache {
  readonly #results = new Map<string, SearchResult>();

  get(query: string): SearchResult | undefined {
    const found = this.#results.get(query);
    if (found) {
      this.#results.delete(query);
      this.#results.set(query, found);
    }
    return found;
  }

  set(query: string, found: SearchResult): void {
    this.#results.set(query, found);
    if (this.#results.size > cachedQueries) this.#results.delete(this.#results.keys().next().value!);
  }
}
