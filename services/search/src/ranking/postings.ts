/**
 * The inverted index: for each term the documents that have it, each with a weight. The postings of all terms lie one
 * after the other; those of term `t` are the elements from `starts[t]` to `starts[t + 1]`, in the order of documents.
 */
export interface Postings {
  starts: Uint32Array;
  documents: Uint32Array;
  /** In hundredths (`fieldWeight`). A weight of `inName` or more means that the term is in the name. */
  weights: Uint8Array;
}

/** Returns the index of the posting of a document, or -1 when the document does not have the term. */
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

/** Returns the number of postings of a range of terms. */
export function countPostings({ starts }: Postings, range: { from: number; to: number }): number {
  return starts[range.to]! - starts[range.from]!;
}
