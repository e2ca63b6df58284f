import { EventLoopYield } from './event-loop-yield';
import { maxDocuments } from './scorer';
import { SearchIndex } from './search-index';
import { type IndexedDocument, TermCache, nameLength, weightedTerms } from './document-terms';
import { Positions, zipCodeOf } from './positions';
import { Vocabulary } from './vocabulary';

/**
 * Builds a search index without blocking the event loop. Documents must be added in the order of their names. Texts are
 * not kept: a document takes four bytes and a weight for each of its terms, and four bytes for each ZIP code.
 */
export class IndexBuilder {
  readonly #numbers = new Map<string, number>();
  #terms = new Uint32Array(1 << 16);
  #weights = new Uint8Array(1 << 16);
  #length = 0;
  /** For each document, the index of its first element in `#terms`. */
  readonly #documentStarts: number[] = [];
  readonly #nameLengths: number[] = [];
  readonly #tiers: number[] = [];
  readonly #zipCodes: number[] = [];
  /** For each document, the index of its first element in `#zipCodes`; then the length of that. */
  readonly #zipCodeStarts = [0];
  readonly #reader = new TermCache();
  readonly #yield = new EventLoopYield();

  /** @param tier documents of lower tiers rank above those of higher ones */
  async add(document: IndexedDocument, tier = 0): Promise<void> {
    if (this.#documentStarts.length === maxDocuments)
      throw new Error(`the index holds at most ${maxDocuments} health systems`);
    // A document that cannot be read must leave no trace: the numbers of the next ones depend on it.
    const length = nameLength(document.name);
    const terms = weightedTerms(document, this.#reader);
    const zipCodes = new Set(document.addresses.flatMap((address) => zipCodeOf(address) ?? []));
    this.#documentStarts.push(this.#length);
    this.#tiers.push(tier);
    this.#nameLengths.push(Math.min(255, length));
    this.#zipCodes.push(...zipCodes);
    this.#zipCodeStarts.push(this.#zipCodes.length);
    for (const [term, weight] of terms) {
      if (this.#length === this.#terms.length) this.#grow();
      this.#terms[this.#length] = this.#numberOf(term);
      this.#weights[this.#length++] = weight;
    }
    if (this.#yield.due()) await this.#yield.pause();
  }

  async finish(): Promise<SearchIndex> {
    const { sorted, sortedIndexOf } = await this.#sortTerms();
    const starts = new Uint32Array(sorted.length + 1);
    for (let at = 0; at < this.#length; at++) starts[sortedIndexOf[this.#terms[at]!]! + 1]!++;
    for (let term = 0; term < sorted.length; term++) starts[term + 1]! += starts[term]!;
    const next = starts.slice();
    const documents = new Uint32Array(this.#length);
    const weights = new Uint8Array(this.#length);
    for (let document = 0; document < this.#documentStarts.length; document++) {
      const end = this.#documentStarts[document + 1] ?? this.#length;
      for (let at = this.#documentStarts[document]!; at < end; at++) {
        const target = next[sortedIndexOf[this.#terms[at]!]!]!++;
        documents[target] = document;
        weights[target] = this.#weights[at]!;
      }
      if (document % 1024 === 0 && this.#yield.due()) await this.#yield.pause();
    }
    return new SearchIndex(
      this.#documentStarts.length,
      new Vocabulary(sorted),
      { starts, documents, weights },
      Uint8Array.from(this.#nameLengths),
      Uint8Array.from(this.#tiers),
      new Positions(Uint32Array.from(this.#zipCodeStarts), Uint32Array.from(this.#zipCodes)),
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

  /** Sorts in groups of equal first two letters, so that no single sort blocks for long. */
  async #sortTerms(): Promise<{ sorted: string[]; sortedIndexOf: Uint32Array }> {
    const byPrefix = new Map<string, string[]>();
    for (const term of this.#numbers.keys()) {
      const prefix = term.slice(0, 2);
      const group = byPrefix.get(prefix);
      if (group) group.push(term);
      else byPrefix.set(prefix, [term]);
      if (this.#yield.due()) await this.#yield.pause();
    }
    const sorted: string[] = [];
    const sortedIndexOf = new Uint32Array(this.#numbers.size);
    for (const prefix of [...byPrefix.keys()].sort()) {
      for (const term of byPrefix.get(prefix)!.sort()) {
        sortedIndexOf[this.#numbers.get(term)!] = sorted.length;
        sorted.push(term);
      }
      if (this.#yield.due()) await this.#yield.pause();
    }
    return { sorted, sortedIndexOf };
  }
}
