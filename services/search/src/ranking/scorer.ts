import { type Postings, countPostings, findPosting } from './postings';
import type { QueryTerm, Run } from './query-terms';
import { inName } from './searchable';
import { smallest } from './smallest';
import type { Vocabulary } from './vocabulary';

/** A document's place among equals is its number, so whole ranks are single numbers: the score first, then the number. */
const documentSpan = 2 ** 21;
const scoreScale = 2 ** 20;
const highestScore = 2 ** 31;

/** How many documents an index can number. */
export const mostDocuments = documentSpan;

/** About the steps of a look-up in the postings of one term. */
const lookUpCost = 12;

/**
 * Adds up the scores of one query at a time, in arrays over all documents that are kept from query to query: no garbage, and after
 * a query only what it touched is cleared. What has been found so far is the list of the documents that are still in the running.
 */
export class Scorer {
  readonly #score: Float32Array;
  /** How many of the needed terms a document has; 0 for all that were not touched. */
  readonly #needed: Uint8Array;
  readonly #namesMatched: Uint8Array;
  readonly #touched: Uint32Array;
  #touchedCount = 0;

  /** Of the term that is being added: the best way in which each document has it. */
  readonly #best: Float32Array;
  readonly #bestInName: Uint8Array;
  #holders: Uint32Array;
  #holderCount = 0;

  #running: Uint32Array;
  #runningCount = 0;
  #mostMatched = 0;
  readonly #ranks: Float64Array;

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly postings: Postings,
    private readonly nameLengths: Uint8Array,
  ) {
    const size = nameLengths.length;
    this.#score = new Float32Array(size);
    this.#needed = new Uint8Array(size);
    this.#namesMatched = new Uint8Array(size);
    this.#touched = new Uint32Array(size);
    this.#best = new Float32Array(size);
    this.#bestInName = new Uint8Array(size);
    this.#holders = new Uint32Array(size);
    this.#running = new Uint32Array(size);
    this.#ranks = new Float64Array(size);
  }

  /** Finds the documents that have every needed term; false when there are none. */
  findAll(terms: QueryTerm[]): boolean {
    this.#clear();
    const rarestFirst = terms
      .filter(({ optional }) => !optional)
      .sort((one, other) => this.#frequency(one) - this.#frequency(other));
    for (const [index, term] of rarestFirst.entries()) {
      for (const run of term.runs) {
        if (index === 0) this.#gatherAll(run);
        else this.#gatherAmong(run, index);
      }
      [this.#running, this.#holders] = [this.#holders, this.#running];
      this.#runningCount = this.#addTerm(term, this.#running, this.#holderCount, true);
      if (this.#runningCount === 0) return false;
    }
    this.#preferOptional(terms);
    return this.#runningCount > 0;
  }

  /** Finds the documents that have as many needed terms as any document has. */
  findMost(terms: QueryTerm[]): void {
    this.#clear();
    for (const term of terms) {
      if (term.optional) continue;
      for (const run of term.runs) this.#gatherAll(run);
      this.#addTerm(term, this.#holders, this.#holderCount, true);
    }
    this.#runningCount = 0;
    for (let index = 0; index < this.#touchedCount; index++) {
      const document = this.#touched[index]!;
      if (this.#needed[document] === this.#mostMatched) this.#running[this.#runningCount++] = document;
    }
    this.#preferOptional(terms);
  }

  /** What was found, best first. A name of which the query is the greater part ranks higher. */
  best(offset: number, limit: number): { total: number; page: number[] } {
    const ranks = this.#ranks.subarray(0, this.#runningCount);
    const running = this.#running;
    const scores = this.#score;
    const namesMatched = this.#namesMatched;
    for (let index = 0; index < ranks.length; index++) {
      const document = running[index]!;
      const coverage = Math.min(1, namesMatched[document]! / this.nameLengths[document]!);
      ranks[index] =
        (highestScore - Math.floor(scores[document]! * (0.6 + 0.4 * coverage) * scoreScale)) * documentSpan + document;
    }
    return { total: ranks.length, page: Array.from(smallest(ranks, offset, limit), (rank) => rank % documentSpan) };
  }

  #clear(): void {
    for (let index = 0; index < this.#touchedCount; index++) {
      const document = this.#touched[index]!;
      this.#score[document] = 0;
      this.#needed[document] = 0;
      this.#namesMatched[document] = 0;
    }
    this.#touchedCount = 0;
    this.#runningCount = 0;
    this.#mostMatched = 0;
  }

  #preferOptional(terms: QueryTerm[]): void {
    for (const term of terms) {
      if (!term.optional) continue;
      for (const run of term.runs) this.#gatherAmong(run, this.#mostMatched);
      this.#addTerm(term, this.#holders, this.#holderCount, false);
    }
  }

  /** Notes every document that has a term of the run. */
  #gatherAll(run: Run): void {
    const { starts, documents, weights } = this.postings;
    const best = this.#best;
    const bestInName = this.#bestInName;
    const holders = this.#holders;
    let count = this.#holderCount;
    for (let term = run.from; term < run.to; term++) {
      const quality = this.#quality(run, term);
      for (let at = starts[term]!, end = starts[term + 1]!; at < end; at++) {
        const document = documents[at]!;
        const weight = weights[at]!;
        const before = best[document]!;
        if (before === 0) holders[count++] = document;
        if (weight * quality > before) best[document] = weight * quality;
        if (weight >= inName) bestInName[document] = 1;
      }
    }
    this.#holderCount = count;
  }

  /** The same among the documents in the running, which have `needed` of the needed terms: by scanning the postings or, when they are few, by looking each up. */
  #gatherAmong(run: Run, needed: number): void {
    if (this.#runningCount * (run.to - run.from) * lookUpCost < countPostings(this.postings, run)) {
      for (let term = run.from; term < run.to; term++) {
        const quality = this.#quality(run, term);
        for (let index = 0; index < this.#runningCount; index++) {
          const at = findPosting(this.postings, term, this.#running[index]!);
          if (at >= 0) this.#note(at, quality);
        }
      }
      return;
    }
    const { starts, documents } = this.postings;
    const found = this.#needed;
    for (let term = run.from; term < run.to; term++) {
      const quality = this.#quality(run, term);
      for (let at = starts[term]!, end = starts[term + 1]!; at < end; at++) {
        if (found[documents[at]!] === needed) this.#note(at, quality);
      }
    }
  }

  #note(at: number, quality: number): void {
    const document = this.postings.documents[at]!;
    const weight = this.postings.weights[at]!;
    const before = this.#best[document]!;
    if (before === 0) this.#holders[this.#holderCount++] = document;
    if (weight * quality > before) this.#best[document] = weight * quality;
    if (weight >= inName) this.#bestInName[document] = 1;
  }

  /** Adds what the documents have of the term to their scores. */
  #addTerm(term: QueryTerm, holders: Uint32Array, count: number, isNeeded: boolean): number {
    const rarity = this.#rarity(term) / 100;
    for (let index = 0; index < count; index++) {
      const document = holders[index]!;
      if (isNeeded) {
        const matched = (this.#needed[document] = this.#needed[document]! + 1);
        if (matched === 1) this.#touched[this.#touchedCount++] = document;
        if (matched > this.#mostMatched) this.#mostMatched = matched;
      }
      this.#score[document] = this.#score[document]! + rarity * this.#best[document]!;
      this.#namesMatched[document] = this.#namesMatched[document]! + this.#bestInName[document]!;
      this.#best[document] = 0;
      this.#bestInName[document] = 0;
    }
    this.#holderCount = 0;
    return count;
  }

  /** A beginning counts the more of the word it is. */
  #quality(run: Run, term: number): number {
    return run.typed === 0
      ? run.quality
      : run.quality * (0.55 + 0.45 * Math.min(1, run.typed / this.vocabulary.lengthOf(term)));
  }

  #frequency({ runs }: QueryTerm): number {
    return runs.reduce((sum, run) => sum + countPostings(this.postings, run), 0);
  }

  /** Inverse document frequency, as in BM25. */
  #rarity(term: QueryTerm): number {
    const size = this.nameLengths.length;
    const frequency = Math.min(size, this.#frequency(term));
    return Math.log(1 + (size - frequency + 0.5) / (frequency + 0.5));
  }
}
