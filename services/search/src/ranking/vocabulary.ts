export interface FuzzyMatch {
  /** The matching terms, from `from` to `to` exclusive: all that begin with the match, or one term. */
  from: number;
  to: number;
  distance: number;
}

const maxTermLength = 63;
const cacheSize = 5000;
/** The first text that sorts after every term that begins with a digit. */
const afterDigits = ':';

/** The sorted terms of an index, in code unit order. The number of a term is its index. */
export class Vocabulary {
  /** The letters of all terms, one after the other; term `t` has those from `starts[t]` to `starts[t + 1]`. */
  readonly #letters: Uint16Array;
  readonly #starts: Uint32Array;
  /** Length of the prefix that each term shares with the term before it, at most `maxTermLength`. */
  readonly #shared: Uint8Array;
  /**
   * Cached results of `fuzzyMatches`: one query calls it several times with the same word, and users make the same
   * mistakes.
   */
  readonly #cache = new Map<string, readonly FuzzyMatch[]>();

  constructor(readonly terms: readonly string[]) {
    this.#starts = new Uint32Array(terms.length + 1);
    for (const [term, text] of terms.entries()) this.#starts[term + 1] = this.#starts[term]! + text.length;
    this.#letters = new Uint16Array(this.#starts[terms.length]!);
    this.#shared = new Uint8Array(terms.length);
    for (const [term, text] of terms.entries()) {
      const start = this.#starts[term]!;
      for (let at = 0; at < text.length; at++) this.#letters[start + at] = text.charCodeAt(at);
      if (term > 0) this.#shared[term] = sharedLength(terms[term - 1]!, text);
    }
  }

  lengthOf(term: number): number {
    return this.#starts[term + 1]! - this.#starts[term]!;
  }

  /** Returns the number of a term, or -1. */
  find(term: string): number {
    const at = this.#firstFrom(term);
    return this.terms[at] === term ? at : -1;
  }

  /** Returns the range of the terms that begin with `prefix`. */
  startingWith(prefix: string): { from: number; to: number } {
    return { from: this.#firstFrom(prefix), to: this.#firstFrom(`${prefix}\uffff`) };
  }

  /**
   * Returns the terms within an edit distance of `word` (optimal string alignment: insertion, deletion, substitution,
   * transposition of neighbours). With `asPrefix`, the terms of which a prefix is within the distance, for a word that
   * is still being typed. Terms that begin with a digit never match. At a distance of 2 the first letter must be the
   * same, which bounds the number of terms to visit.
   *
   * The sorted terms are traversed like a trie: the rows of the distance table that belong to a shared prefix are kept,
   * and all terms below a prefix that is too far are skipped.
   * @param maxDistance 1 or 2
   */
  fuzzyMatches(word: string, maxDistance: number, asPrefix = false): readonly FuzzyMatch[] {
    const cacheKey = `${word} ${maxDistance} ${asPrefix}`;
    const known = this.#cache.get(cacheKey);
    if (known) return known;
    const found = this.#traverse(word, maxDistance, asPrefix);
    if (this.#cache.size >= cacheSize) this.#cache.clear();
    this.#cache.set(cacheKey, found);
    return found;
  }

  #traverse(word: string, maxDistance: number, asPrefix: boolean): FuzzyMatch[] {
    const table = new DistanceTable(word);
    const scope =
      maxDistance > 1 ? this.startingWith(word[0]!) : { from: this.#firstFrom(afterDigits), to: this.terms.length };
    const found: FuzzyMatch[] = [];
    /** Number of rows of the table that are valid for the current term. */
    let depth = 0;
    for (let term = scope.from; term < scope.to;) {
      const start = this.#starts[term]!;
      const length = Math.min(this.#starts[term + 1]! - start, maxTermLength);
      let settled = false;
      while (depth < length && !settled) {
        depth++;
        const nearest = table.fillRow(
          depth,
          this.#letters[start + depth - 1]!,
          depth > 1 ? this.#letters[start + depth - 2]! : -1,
        );
        if (nearest > maxDistance) settled = true;
        else if (asPrefix && table.distance(depth) <= maxDistance) {
          found.push({ from: term, to: this.#endOf(term, depth), distance: table.distance(depth) });
          settled = true;
        }
      }
      if (!settled && !asPrefix && table.distance(length) <= maxDistance)
        found.push({ from: term, to: term + 1, distance: table.distance(length) });
      term = settled ? this.#endOf(term, depth) : term + 1;
      depth = Math.min(settled ? depth - 1 : depth, this.#shared[term] ?? 0);
    }
    return found;
  }

  /** Returns the first term after this one that does not share its first `depth` letters. */
  #endOf(term: number, depth: number): number {
    let next = term + 1;
    while (next < this.terms.length && this.#shared[next]! >= depth) next++;
    return next;
  }

  /** Returns the number of the first term that does not sort before `text`. */
  #firstFrom(text: string): number {
    let low = 0;
    let high = this.terms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.terms[middle]! < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Edit distances (optimal string alignment) between a word and the prefixes of another, one row for each prefix length.
 */
class DistanceTable {
  readonly #width: number;
  readonly #rows: Uint8Array;
  readonly #word: Uint16Array;

  constructor(word: string) {
    this.#width = word.length + 1;
    this.#rows = new Uint8Array((maxTermLength + 1) * this.#width);
    for (let column = 0; column < this.#width; column++) this.#rows[column] = column;
    this.#word = Uint16Array.from(word, (letter) => letter.charCodeAt(0));
  }

  /** Computes the row of a prefix from the two rows before it. Returns its smallest value. */
  fillRow(depth: number, letter: number, letterBefore: number): number {
    const rows = this.#rows;
    const word = this.#word;
    const width = this.#width;
    const row = depth * width;
    const above = row - width;
    rows[row] = depth;
    let nearest = depth;
    let left = depth;
    for (let column = 1; column < width; column++) {
      const written = word[column - 1]!;
      let value = rows[above + column - 1]! + (written === letter ? 0 : 1);
      const longer = rows[above + column]! + 1;
      if (longer < value) value = longer;
      if (left + 1 < value) value = left + 1;
      if (written === letterBefore && column > 1 && word[column - 2] === letter) {
        const swapped = rows[above - width + column - 2]! + 1;
        if (swapped < value) value = swapped;
      }
      rows[row + column] = value;
      left = value;
      if (value < nearest) nearest = value;
    }
    return nearest;
  }

  /** Returns the distance between the whole word and the prefix of this length. */
  distance(depth: number): number {
    return this.#rows[depth * this.#width + this.#width - 1]!;
  }
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length, maxTermLength);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
