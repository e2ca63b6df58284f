/**
 * Which documents hold which term, and how much it counts there: the postings of all terms, one after the other. Those of term `t` are the ones
 * from `starts[t]` to `starts[t + 1]`, ordered by document.
 */
export interface Postings {
  starts: Uint32Array;
  documents: Uint32Array;
  /** In hundredths; from `inName` on the term stands in the name. */
  weights: Uint8Array;
}

/** Where a term has a document, or -1. */
export function findPosting({ starts, documents }: Postings, term: number, document: number): number {
  let low = starts[term]!;
  let high = starts[term + 1]!;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (documents[middle]! < document) low = middle + 1;
    else high = middle;
  }
  return low < starts[term + 1]! && documents[low] === document ? low : -1;
}

/** How many postings a run of terms has. */
export function countPostings({ starts }: Postings, run: { from: number; to: number }): number {
  return starts[run.to]! - starts[run.from]!;
}
