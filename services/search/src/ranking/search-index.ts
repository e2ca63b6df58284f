import type { Position } from '@tributary/contracts';
import { sortKey } from './words';
import type { Postings } from './postings';
import type { DistanceTo, Positions } from './positions';
import { parseQuery } from './parse-query';
import { Scorer, cumulative, tiers } from './scorer';
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
  /** By the position and the query. */
  readonly #cacheOfNear = new ResultCache();
  /** All documents by tier, and by name within a tier. */
  readonly #byTier: Uint32Array;
  readonly #tierTotals: number[];

  constructor(
    readonly size: number,
    private readonly vocabulary: Vocabulary,
    postings: Postings,
    nameLengths: Uint8Array,
    tierOf: Uint8Array,
    private readonly positions: Positions,
  ) {
    this.#scorer = new Scorer(vocabulary, postings, nameLengths, tierOf);
    const counts = Array.from({ length: tiers }, () => 0);
    for (const tier of tierOf) counts[tier] = counts[tier]! + 1;
    this.#tierTotals = cumulative(counts);
    const next = [0, ...this.#tierTotals];
    this.#byTier = new Uint32Array(size);
    for (let document = 0; document < size; document++) this.#byTier[next[tierOf[document]!]!++] = document;
  }

  /**
   * Returns a page of results; all documents by name, or by distance, when the query is missing or has neither letters
   * nor digits.
   * @param lowestTiers only the first `lowestTiers` tiers are returned, which are the first of all results
   * @param near where the user is
   */
  search(query: string | undefined, offset: number, limit: number, lowestTiers = tiers, near?: Position): SearchResult {
    const text = query === undefined || sortKey(query) === '' ? '' : query;
    const { totals, page } =
      text === '' && !near ? this.#byName(offset, limit) : this.#ranked(text, offset, limit, near);
    const total = totals[lowestTiers - 1]!;
    return { total, page: page.slice(0, Math.max(0, total - offset)) };
  }

  /** Returns the distances of documents from a place, in whole kilometers. */
  distancesFrom(near: Position): DistanceTo {
    return this.positions.distancesFrom(near);
  }

  #ranked(query: string, offset: number, limit: number, near: Position | undefined): RankedResults {
    if (offset + limit > cachedResults) return this.#rank(query, offset, limit, near);
    const cache = near ? this.#cacheOfNear : this.#cache;
    const key = near ? `${near.latitude} ${near.longitude} ${query}` : query;
    let found = cache.get(key);
    if (!found) {
      found = this.#rank(query, 0, cachedResults, near);
      cache.set(key, found);
    }
    return { totals: found.totals, page: found.page.slice(offset, offset + limit) };
  }

  #rank(query: string, offset: number, limit: number, near: Position | undefined): RankedResults {
    const distanceTo = near && this.distancesFrom(near);
    if (query === '' && distanceTo)
      return { totals: this.#tierTotals, page: this.#scorer.nearest(offset, limit, distanceTo) };
    this.#find(query);
    return this.#scorer.topRanked(offset, limit, distanceTo);
  }

  #find(query: string): void {
    const terms = parseQuery(query, this.vocabulary, false);
    if (!this.#scorer.matchEvery(terms)) {
      const fuzzyTerms = parseQuery(query, this.vocabulary, true);
      if (!this.#scorer.matchEvery(fuzzyTerms)) this.#scorer.matchMost(fuzzyTerms);
    }
  }

  #byName(offset: number, limit: number): RankedResults {
    return { totals: this.#tierTotals, page: [...this.#byTier.subarray(offset, offset + limit)] };
  }
}

/** What `Scorer.topRanked` returns. */
interface RankedResults {
  totals: number[];
  page: number[];
}

/**
 * LRU cache of the first results of queries. Users who type send the same short prefixes again and again, and these are
 * the slow queries, which match half the directory. Entries never become stale, because an index never changes.
 */
class ResultCache {
  readonly #results = new Map<string, RankedResults>();

  get(query: string): RankedResults | undefined {
    const found = this.#results.get(query);
    if (found) {
      this.#results.delete(query);
      this.#results.set(query, found);
    }
    return found;
  }

  set(query: string, found: RankedResults): void {
    this.#results.set(query, found);
    if (this.#results.size > cachedQueries) this.#results.delete(this.#results.keys().next().value!);
  }
}
