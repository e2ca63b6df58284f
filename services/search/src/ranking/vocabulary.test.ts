import fc from 'fast-check';
import { selectSmallest } from './select-smallest';
import { Vocabulary } from './vocabulary';

/** Reference implementation of the optimal string alignment distance. */
function distance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  for (let row = 1; row <= one.length; row++) {
    for (let column = 1; column <= other.length; column++) {
      let best = Math.min(
        rows[row - 1]![column]! + 1,
        rows[row]![column - 1]! + 1,
        rows[row - 1]![column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1),
      );
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        best = Math.min(best, rows[row - 2]![column - 2]! + 1);
      rows[row]![column] = best;
    }
  }
  return rows[one.length]![other.length]!;
}

const someWord = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 });
const someWords = fc.uniqueArray(someWord, { minLength: 1, maxLength: 60 }).map((terms) => terms.sort());

describe('Vocabulary', () => {
  it('returns exactly the terms within one edit', () => {
    fc.assert(
      fc.property(someWords, someWord, (terms, word) => {
        const found = new Vocabulary(terms)
          .fuzzyMatches(word, 1)
          .map(({ from, to, distance: typos }) => [terms.slice(from, to), typos]);
        expect(found).toEqual(
          terms.filter((term) => distance(word, term) <= 1).map((term) => [[term], distance(word, term)]),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('returns exactly the terms within two edits that have the same first letter', () => {
    fc.assert(
      fc.property(someWords, someWord, (terms, word) => {
        const found = new Vocabulary(terms).fuzzyMatches(word, 2).flatMap(({ from, to }) => terms.slice(from, to));
        expect(found).toEqual(terms.filter((term) => term[0] === word[0] && distance(word, term) <= 2));
      }),
      { numRuns: 500 },
    );
  });

  it('returns exactly the terms with a prefix within one edit', () => {
    fc.assert(
      fc.property(someWords, someWord, (terms, word) => {
        const found = new Vocabulary(terms)
          .fuzzyMatches(word, 1, true)
          .flatMap(({ from, to }) => terms.slice(from, to));
        const isPrefix = (term: string): boolean =>
          Array.from(term, (_, index) => term.slice(0, index + 1)).some((beginning) => distance(word, beginning) <= 1);
        expect(found).toEqual(terms.filter(isPrefix));
      }),
      { numRuns: 500 },
    );
  });

  it('finds terms and ranges of terms', () => {
    const vocabulary = new Vocabulary(['brook', 'brooklyn', 'brooks', 'mayo']);
    expect(vocabulary.find('brooklyn')).toBe(1);
    expect(vocabulary.find('brookly')).toBe(-1);
    expect(vocabulary.startingWith('brook')).toEqual({ from: 0, to: 3 });
    expect(vocabulary.startingWith('zz')).toEqual({ from: 4, to: 4 });
  });

  it('accepts very long terms and words', () => {
    const long = 'x'.repeat(300);
    expect(new Vocabulary([long, `${long}y`]).find(long)).toBe(0);
    expect(() => new Vocabulary([long]).fuzzyMatches('x'.repeat(40), 2)).not.toThrow();
  });
});

describe('selectSmallest', () => {
  it('returns a page of the sorted numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(40), fc.nat(20), (numbers, offset, limit) => {
        const sorted = [...numbers].sort((one, other) => one - other);
        expect([...selectSmallest(Float64Array.from(numbers), offset, limit)]).toEqual(
          sorted.slice(offset, offset + limit),
        );
      }),
    );
  });
});
