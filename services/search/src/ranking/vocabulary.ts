export interface Typo {
  /** A run of terms: all that begin with what was matched, or one term. */
  from: number;
  to: number;
  distance: number;
}

const longestTerm = 63;
const mostRemembered = 5000;
/** What comes after all that begins with a digit. */
const afterDigits = ':';

/** All terms of an index in code unit order; a term's number is its place in it. */
export class Vocabulary {
  /** The letters of all terms, one after the other; term `t` has those from `starts[t]` to `starts[t + 1]`. */
  readonly #letters: Uint16Array;
  readonly #starts: Uint32Array;
  /** How many letters, up to the longest that is looked at, each term shares with the one before it. */
  readonly #shared: Uint8Array;
  /** Answers of `typosOf`: one query asks the same several times, and people make the same mistakes. */
  readonly #remembered = new Map<string, readonly Typo[]>();

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

  /** The number of a term, or -1. */
  find(term: string): number {
    const at = this.#firstFrom(term);
    return this.terms[at] === term ? at : -1;
  }

  /** The terms that begin with `prefix`, as a run. */
  startingWith(prefix: string): { from: number; to: number } {
    return { from: this.#firstFrom(prefix), to: this.#firstFrom(`${prefix}\uffff`) };
  }

  /**
   * The terms within `limit` typing errors of `word`: a letter missing, added, changed, or two swapped. With `unfinished`, those that begin with
   * something that close, for a word that is still being typed. With two errors the first letter must be right, which keeps the walk short, and
   * numbers are nobody's typo.
   *
   * The sorted terms are walked like a tree: the rows of the distance table that belong to a shared beginning are kept, and what lies
   * below a hopeless beginning is skipped.
   */
  typosOf(word: string, limit: number, unfinished = false): readonly Typo[] {
    const question = `${word} ${limit} ${unfinished}`;
    const known = this.#remembered.get(question);
    if (known) return known;
    const found = this.#walk(word, limit, unfinished);
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    this.#remembered.set(question, found);
    return found;
  }

  #walk(word: string, limit: number, unfinished: boolean): Typo[] {
    const table = new DistanceTable(word);
    const scope =
      limit > 1 ? this.startingWith(word[0]!) : { from: this.#firstFrom(afterDigits), to: this.terms.length };
    const found: Typo[] = [];
    /** How many rows hold for the term at hand. */
    let depth = 0;
    for (let term = scope.from; term < scope.to;) {
      const start = this.#starts[term]!;
      const length = Math.min(this.#starts[term + 1]! - start, longestTerm);
      let settled = false;
      while (depth < length && !settled) {
        depth++;
        const nearest = table.fillRow(
          depth,
          this.#letters[start + depth - 1]!,
          depth > 1 ? this.#letters[start + depth - 2]! : -1,
        );
        if (nearest > limit) settled = true;
        else if (unfinished && table.distance(depth) <= limit) {
          found.push({ from: term, to: this.#endOf(term, depth), distance: table.distance(depth) });
          settled = true;
        }
      }
      if (!settled && !unfinished && table.distance(length) <= limit)
        found.push({ from: term, to: term + 1, distance: table.distance(length) });
      term = settled ? this.#endOf(term, depth) : term + 1;
      depth = Math.min(settled ? depth - 1 : depth, this.#shared[term] ?? 0);
    }
    return found;
  }

  /** The first term after this one that does not share its first `depth` letters. */
  #endOf(term: number, depth: number): number {
    let next = term + 1;
    while (next < this.terms.length && this.#shared[next]! >= depth) next++;
    return next;
  }

  /** The number of the first term that is not before `text`. */
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

/** Distances of optimal string alignment between a word and the beginnings of another, one row for each length. */
class DistanceTable {
  readonly #width: number;
  readonly #rows: Uint8Array;
  readonly #word: Uint16Array;

  constructor(word: string) {
    this.#width = word.length + 1;
    this.#rows = new Uint8Array((longestTerm + 1) * this.#width);
    for (let column = 0; column < this.#width; column++) this.#rows[column] = column;
    this.#word = Uint16Array.from(word, (letter) => letter.charCodeAt(0));
  }

  /** Fills the row of a beginning out of the two before it; returns its smallest value. */
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

  /** Between the whole word and a beginning of this length. */
  distance(depth: number): number {
    return this.#rows[depth * this.#width + this.#width - 1]!;
  }
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length, longestTerm);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
