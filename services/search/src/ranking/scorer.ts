import { type Postings, countPostings, findPosting } from './postings';
import type { DistanceTo } from './positions';
import type { QueryTerm, TermRange } from './parse-query';
import { inName } from './document-terms';
import { selectSmallest } from './select-smallest';
import type { Vocabulary } from './vocabulary';

/**
 * A sort key is one number, which sorts much faster than objects: the inverted score above, the document number below.
 * Equal scores are therefore in the order of document numbers. A sort key is below 2^52, so it is exact.
 */
const documentSpan = 2 ** 21;
const scoreScale = 2 ** 20;
const maxScore = 2 ** 31;

/**
 * Number of tiers. Every document of a lower tier ranks above every document of a higher one. The tier is above the
 * score in a sort key; two of them are negative numbers, which are as exact as positive ones.
 */
export const tiers = 4;
const tierSpan = maxScore * documentSpan;
const lowestTierKey = (-tiers / 2) * tierSpan;
/** Above every distance on the earth, in kilometers. Documents without a position are in it. */
const distanceSpan = 2 ** 15;

/** The largest number of documents that an index can hold. */
export const maxDocuments = documentSpan;

/** About how many steps the binary search in the postings of one term takes. */
const binarySearchCost = 12;

/**
 * Weights of the ranking. `npm run bench -- --sweep` measures other values (README, "Ranking"):
 * `nameCoverage` is the share of a score that depends on how much of the name the query covers, so that a short name
 * that is the query ranks above a long one that contains it. From 0.2 to 0.6 the quality is the same; 0 and 1 put 1 %
 * fewer of the expected results first. `prefixCoverage` is the share of the quality of a prefix match that depends on
 * how much of the word was typed. It orders results while the user types; its value changes the mean reciprocal rank by
 * 0.001 at most, so it stays in the middle. `nearness` is the share by which a score is raised at a distance of 0 km,
 * when the user has said where they are, and half of it at `nearnessKm`: a result can pass another one whose score is
 * less than a fifth higher.
 */
export const rankingWeights = { nameCoverage: 0.4, prefixCoverage: 0.45, nearness: 0.2 };
const nearnessKm = 50;

/**
 * Scores the documents of one query at a time. The score of a document is the sum over the query terms of the inverse
 * document frequency of the term times the best weight with which the document has it.
 *
 * The arrays over all documents are allocated once and reused: a query allocates nothing, and afterwards only the
 * entries that it touched are cleared. `#matching` is the list of documents that have every required term so far.
 */
export class Scorer {
  readonly #score: Float32Array;
  /** How many of the required terms a document has; 0 when it was not touched. */
  readonly #requiredMatched: Uint8Array;
  readonly #namesMatched: Uint8Array;
  readonly #touched: Uint32Array;
  #touchedCount = 0;

  /** Of the current term: the best weight with which each document has it. */
  readonly #bestWeight: Float32Array;
  readonly #bestInName: Uint8Array;
  #candidates: Uint32Array;
  #candidateCount = 0;

  #matching: Uint32Array;
  #matchingCount = 0;
  #maxMatched = 0;
  readonly #sortKeys: Float64Array;

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly postings: Postings,
    private readonly nameLengths: Uint8Array,
    private readonly tierOf: Uint8Array,
  ) {
    const size = nameLengths.length;
    this.#score = new Float32Array(size);
    this.#requiredMatched = new Uint8Array(size);
    this.#namesMatched = new Uint8Array(size);
    this.#touched = new Uint32Array(size);
    this.#bestWeight = new Float32Array(size);
    this.#bestInName = new Uint8Array(size);
    this.#candidates = new Uint32Array(size);
    this.#matching = new Uint32Array(size);
    this.#sortKeys = new Float64Array(size);
  }

  /** Finds the documents that have every required term. Returns false when there is none. */
  matchEvery(terms: QueryTerm[]): boolean {
    this.#clear();
    const rarestFirst = terms
      .filter(({ isOptional }) => !isOptional)
      .sort((one, other) => this.#frequency(one) - this.#frequency(other));
    for (const [index, term] of rarestFirst.entries()) {
      for (const range of term.ranges) {
        if (index === 0) this.#collect(range);
        else this.#collectMatching(range, index);
      }
      [this.#matching, this.#candidates] = [this.#candidates, this.#matching];
      this.#matchingCount = this.#addTerm(term, this.#matching, this.#candidateCount, true);
      if (this.#matchingCount === 0) return false;
    }
    this.#addOptional(terms);
    return this.#matchingCount > 0;
  }

  /** Finds the documents that have the largest number of required terms. */
  matchMost(terms: QueryTerm[]): void {
    this.#clear();
    for (const term of terms) {
      if (term.isOptional) continue;
      for (const range of term.ranges) this.#collect(range);
      this.#addTerm(term, this.#candidates, this.#candidateCount, true);
    }
    this.#matchingCount = 0;
    for (let index = 0; index < this.#touchedCount; index++) {
      const document = this.#touched[index]!;
      if (this.#requiredMatched[document] === this.#maxMatched) this.#matching[this.#matchingCount++] = document;
    }
    this.#addOptional(terms);
  }

  /**
   * Returns a page of the found documents, best first. The more of its name the query covers, the higher a document
   * ranks, and a little the nearer it is.
   * @returns the number of found documents in the tiers up to each one, and the document numbers of the page
   */
  topRanked(offset: number, limit: number, distanceTo?: DistanceTo): { totals: number[]; page: number[] } {
    const sortKeys = this.#sortKeys.subarray(0, this.#matchingCount);
    const matching = this.#matching;
    const scores = this.#score;
    const namesMatched = this.#namesMatched;
    const { nameCoverage, nearness } = rankingWeights;
    const counts = Array.from({ length: tiers }, () => 0);
    for (let index = 0; index < sortKeys.length; index++) {
      const document = matching[index]!;
      const coverage = Math.min(1, namesMatched[document]! / this.nameLengths[document]!);
      let score = scores[document]! * (1 - nameCoverage + nameCoverage * coverage);
      if (distanceTo) score *= 1 + nearness / (1 + distanceTo(document) / nearnessKm);
      const tier = this.tierOf[document]!;
      counts[tier] = counts[tier]! + 1;
      sortKeys[index] =
        lowestTierKey + tier * tierSpan + (maxScore - Math.floor(score * scoreScale)) * documentSpan + document;
    }
    return {
      totals: cumulative(counts),
      page: Array.from(selectSmallest(sortKeys, offset, limit), documentOf),
    };
  }

  /** Returns a page of all documents by tier, then by distance, then by name. */
  nearest(offset: number, limit: number, distanceTo: DistanceTo): number[] {
    const sortKeys = this.#sortKeys;
    for (let document = 0; document < sortKeys.length; document++) {
      const distance = Math.min(distanceTo(document), distanceSpan - 1);
      sortKeys[document] = (this.tierOf[document]! * distanceSpan + distance) * documentSpan + document;
    }
    return Array.from(selectSmallest(sortKeys, offset, limit), documentOf);
  }

  #clear(): void {
    for (let index = 0; index < this.#touchedCount; index++) {
      const document = this.#touched[index]!;
      this.#score[document] = 0;
      this.#requiredMatched[document] = 0;
      this.#namesMatched[document] = 0;
    }
    this.#touchedCount = 0;
    this.#matchingCount = 0;
    this.#maxMatched = 0;
  }

  #addOptional(terms: QueryTerm[]): void {
    for (const term of terms) {
      if (!term.isOptional) continue;
      for (const range of term.ranges) this.#collectMatching(range, this.#maxMatched);
      this.#addTerm(term, this.#candidates, this.#candidateCount, false);
    }
  }

  /** Collects every document that has a term of the range as a candidate. */
  #collect(range: TermRange): void {
    const { starts, documents, weights } = this.postings;
    const bestWeight = this.#bestWeight;
    const bestInName = this.#bestInName;
    const candidates = this.#candidates;
    let count = this.#candidateCount;
    for (let term = range.from; term < range.to; term++) {
      const quality = this.#quality(range, term);
      for (let at = starts[term]!, end = starts[term + 1]!; at < end; at++) {
        const document = documents[at]!;
        const weight = weights[at]!;
        const before = bestWeight[document]!;
        if (before === 0) candidates[count++] = document;
        if (weight * quality > before) bestWeight[document] = weight * quality;
        if (weight >= inName) bestInName[document] = 1;
      }
    }
    this.#candidateCount = count;
  }

  /**
   * The same for the matching documents only, which have `required` of the required terms: by scanning the postings or,
   * when few documents match, by a binary search for each.
   */
  #collectMatching(range: TermRange, required: number): void {
    if (this.#matchingCount * (range.to - range.from) * binarySearchCost < countPostings(this.postings, range)) {
      for (let term = range.from; term < range.to; term++) {
        const quality = this.#quality(range, term);
        for (let index = 0; index < this.#matchingCount; index++) {
          const at = findPosting(this.postings, term, this.#matching[index]!);
          if (at >= 0) this.#addCandidate(at, quality);
        }
      }
      return;
    }
    const { starts, documents } = this.postings;
    const matched = this.#requiredMatched;
    for (let term = range.from; term < range.to; term++) {
      const quality = this.#quality(range, term);
      for (let at = starts[term]!, end = starts[term + 1]!; at < end; at++) {
        if (matched[documents[at]!] === required) this.#addCandidate(at, quality);
      }
    }
  }

  #addCandidate(at: number, quality: number): void {
    const document = this.postings.documents[at]!;
    const weight = this.postings.weights[at]!;
    const before = this.#bestWeight[document]!;
    if (before === 0) this.#candidates[this.#candidateCount++] = document;
    if (weight * quality > before) this.#bestWeight[document] = weight * quality;
    if (weight >= inName) this.#bestInName[document] = 1;
  }

  /** Adds the current term to the scores of its candidates, and returns their number. */
  #addTerm(term: QueryTerm, candidates: Uint32Array, count: number, isRequired: boolean): number {
    const frequencyWeight = this.#inverseDocumentFrequency(term) / 100;
    for (let index = 0; index < count; index++) {
      const document = candidates[index]!;
      if (isRequired) {
        const matched = (this.#requiredMatched[document] = this.#requiredMatched[document]! + 1);
        if (matched === 1) this.#touched[this.#touchedCount++] = document;
        if (matched > this.#maxMatched) this.#maxMatched = matched;
      }
      this.#score[document] = this.#score[document]! + frequencyWeight * this.#bestWeight[document]!;
      this.#namesMatched[document] = this.#namesMatched[document]! + this.#bestInName[document]!;
      this.#bestWeight[document] = 0;
      this.#bestInName[document] = 0;
    }
    this.#candidateCount = 0;
    return count;
  }

  /** A prefix counts for more, the more of the word it covers. */
  #quality(range: TermRange, term: number): number {
    if (range.typedLength === 0) return range.quality;
    const { prefixCoverage } = rankingWeights;
    const coverage = Math.min(1, range.typedLength / this.vocabulary.lengthOf(term));
    return range.quality * (1 - prefixCoverage + prefixCoverage * coverage);
  }

  #frequency({ ranges }: QueryTerm): number {
    return ranges.reduce((sum, range) => sum + countPostings(this.postings, range), 0);
  }

  /**
   * Inverse document frequency, as in BM25; the length of documents is not normalized, because `nameCoverage` does that
   * for names.
   */
  #inverseDocumentFrequency(term: QueryTerm): number {
    const size = this.nameLengths.length;
    const frequency = Math.min(size, this.#frequency(term));
    return Math.log(1 + (size - frequency + 0.5) / (frequency + 0.5));
  }
}

/** The spans of scores and tiers are multiples of that of documents. The remainder of a negative number is negative. */
function documentOf(sortKey: number): number {
  const remainder = sortKey % documentSpan;
  return remainder < 0 ? remainder + documentSpan : remainder;
}

/** Returns for each tier the number of documents in it and the tiers below. */
export function cumulative(counts: number[]): number[] {
  let sum = 0;
  return counts.map((count) => (sum += count));
}
