import { Pace } from './pace';
import { mostDocuments } from './scorer';
import { SearchIndex } from './search-index';
import { type Searchable, WordReader, nameLength, weightedTerms } from './searchable';
import { Vocabulary } from './vocabulary';

/**
 * Builds a search index without holding up requests. Documents are added in the order of their names.
 * Their texts are not kept: what is left of a document is four bytes and a weight per term.
 */
export class IndexBuilder {
  readonly #numbers = new Map<string, number>();
  #terms = new Uint32Array(1 << 16);
  #weights = new Uint8Array(1 << 16);
  #length = 0;
  /** Where the terms of each document begin. */
  readonly #documentStarts: number[] = [];
  readonly #nameLengths: number[] = [];
  readonly #reader = new WordReader();
  readonly #pace = new Pace();

  async add(document: Searchable): Promise<void> {
    if (this.#documentStarts.length === mostDocuments)
      throw new Error(`the index holds at most ${mostDocuments} health systems`);
    this.#documentStarts.push(this.#length);
    this.#nameLengths.push(Math.min(255, nameLength(document.name)));
    for (const [term, weight] of weightedTerms(document, this.#reader)) {
      if (this.#length === this.#terms.length) this.#grow();
      this.#terms[this.#length] = this.#numberOf(term);
      this.#weights[this.#length++] = weight;
    }
    if (this.#pace.due()) await this.#pace.pause();
  }

  async finish(): Promise<SearchIndex> {
    const { sorted, placeOf } = await this.#sortTerms();
    const starts = new Uint32Array(sorted.length + 1);
    for (let at = 0; at < this.#length; at++) starts[placeOf[this.#terms[at]!]! + 1]!++;
    for (let term = 0; term < sorted.length; term++) starts[term + 1]! += starts[term]!;
    const next = starts.slice();
    const documents = new Uint32Array(this.#length);
    const weights = new Uint8Array(this.#length);
    for (let document = 0; document < this.#documentStarts.length; document++) {
      const end = this.#documentStarts[document + 1] ?? this.#length;
      for (let at = this.#documentStarts[document]!; at < end; at++) {
        const target = next[placeOf[this.#terms[at]!]!]!++;
        documents[target] = document;
        weights[target] = this.#weights[at]!;
      }
      if (document % 1024 === 0 && this.#pace.due()) await this.#pace.pause();
    }
    return new SearchIndex(
      this.#documentStarts.length,
      new Vocabulary(sorted),
      { starts, documents, weights },
      Uint8Array.from(this.#nameLengths),
    );
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(term, number);
    return number;
  }

  #grow(): void {
    const terms = new Uint32Array(this.#terms.length * 2);
    terms.set(this.#terms);
    this.#terms = terms;
    const weights = new Uint8Array(this.#weights.length * 2);
    weights.set(this.#weights);
    this.#weights = weights;
  }

  /** Sorts by beginnings, one at a time, so that no single sort takes long. */
  async #sortTerms(): Promise<{ sorted: string[]; placeOf: Uint32Array }> {
    const byBeginning = new Map<string, string[]>();
    for (const term of this.#numbers.keys()) {
      const beginning = term.slice(0, 2);
      const group = byBeginning.get(beginning);
      if (group) group.push(term);
      else byBeginning.set(beginning, [term]);
      if (this.#pace.due()) await this.#pace.pause();
    }
    const sorted: string[] = [];
    const placeOf = new Uint32Array(this.#numbers.size);
    for (const beginning of [...byBeginning.keys()].sort()) {
      for (const term of byBeginning.get(beginning)!.sort()) {
        placeOf[this.#numbers.get(term)!] = sorted.length;
        sorted.push(term);
      }
      if (this.#pace.due()) await this.#pace.pause();
    }
    return { sorted, placeOf };
  }
}
