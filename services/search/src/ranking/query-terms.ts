import { fold, words } from './fold';
import { isAbbreviation, isGeneric, termOf } from './terms';
import type { Vocabulary } from './vocabulary';

/** Terms of the index, one after the other, that stand for a word of the query. */
export interface Run {
  from: number;
  to: number;
  /** 1 for the word itself. */
  quality: number;
  /** For words of which only the beginning was typed: how many letters; else 0. */
  typed: number;
}

export interface QueryTerm {
  runs: Run[];
  /** It orders what is found, but nothing is left out for lack of it. */
  optional: boolean;
}

const mostWords = 12;
/** Longer ones are nobody's typo. */
const longestWord = 40;
/** The last four digits of ZIP+4. */
const zipExtension = /(?<=\b\d{5})-\d{4}\b/g;
/** Of words that are taken apart, except for short forms such as "st". */
const leastPart = 3;
const qualityOf = {
  prefix: 0.9,
  joined: 0.95,
  oneTypo: 0.7,
  twoTypos: 0.45,
  typoInPrefix: 0.8,
  samePostalArea: 0.35,
  samePostalNeighbourhood: 0.5,
} as const;

/**
 * What the words of a query stand for in an index.
 * @param forgiving look for typos even where a word of the index fits
 */
export function readQuery(query: string, vocabulary: Vocabulary, forgiving: boolean): QueryTerm[] {
  const separate = words(query.replace(zipExtension, '')).slice(0, mostWords);
  const written = [
    ...new Set(separate.flatMap((word, index) => takeApart(word, vocabulary, index === separate.length - 1))),
  ];
  const terms = written.map((word, index) =>
    readWord(word, vocabulary, { forgiving, last: index === written.length - 1 }),
  );
  for (let index = 1; index < written.length; index++) {
    const joined = vocabulary.find(termOf(fold(written[index - 1]! + written[index]!)));
    if (joined < 0) continue;
    const run = { from: joined, to: joined + 1, quality: qualityOf.joined, typed: 0 };
    terms[index - 1]!.runs.push(run);
    terms[index]!.runs.push(run);
  }
  return terms.some(({ optional }) => !optional) ? terms : terms.map(({ runs }) => ({ runs, optional: false }));
}

function readWord(
  word: string,
  vocabulary: Vocabulary,
  { forgiving, last }: { forgiving: boolean; last: boolean },
): QueryTerm {
  const term = termOf(word);
  const runs: Run[] = [];
  const exact = vocabulary.find(term);
  if (exact >= 0) runs.push({ from: exact, to: exact + 1, quality: 1, typed: 0 });
  const beginning = isAbbreviation(word) ? fold(word) : term;
  if (beginning.length > 1 || last) {
    const { from, to } = vocabulary.startingWith(beginning);
    for (const part of exact >= from && exact < to
      ? [
          { from, to: exact },
          { from: exact + 1, to },
        ]
      : [{ from, to }]) {
      if (part.to > part.from) runs.push({ ...part, quality: qualityOf.prefix, typed: beginning.length });
    }
  }
  let optional = isGeneric(term);
  if (/\d/.test(term)) {
    if (/^\d{5}$/.test(term)) runs.push(...neighbours(term, vocabulary));
  } else if (runs.length === 0 || forgiving) {
    const typos = closeTo(term, vocabulary, last);
    if (runs.length === 0)
      optional = typos.some(
        ({ from, to, typed }) => typed === 0 && to === from + 1 && isGeneric(vocabulary.terms[from]!),
      );
    runs.push(...typos);
  }
  return { runs, optional };
}

/**
 * Terms that may have been meant: the nearest ones. Short words allow no typo, long ones two: else everything is close to everything.
 * The last word may be an unfinished one.
 * @param most how many typos are looked for
 */
function closeTo(term: string, vocabulary: Vocabulary, last: boolean, most = term.length < 8 ? 1 : 2): Run[] {
  if (term.length < 4 || term.length > longestWord) return [];
  for (let distance = 1; distance <= most; distance++) {
    const found = vocabulary.typosOf(term, distance).filter((typo) => typo.distance > 0);
    if (found.length > 0)
      return found.map(({ from, to }) => ({
        from,
        to,
        quality: distance === 1 ? qualityOf.oneTypo : qualityOf.twoTypos,
        typed: 0,
      }));
  }
  if (!last) return [];
  return vocabulary
    .typosOf(term, 1, true)
    .map(({ from, to }) => ({ from, to, quality: qualityOf.oneTypo * qualityOf.typoInPrefix, typed: term.length }));
}

/**
 * A word that is nothing in the index, nor close to anything, may be two whose space was forgotten: "mayoclinic". Both must be words of the index,
 * the first as long as possible; the last word of a query may be an unfinished one.
 */
function takeApart(word: string, vocabulary: Vocabulary, last: boolean): string[] {
  const whole = termOf(word);
  if (
    word.length > longestWord ||
    /\d/.test(whole) ||
    begins(whole, vocabulary) ||
    begins(fold(word), vocabulary) ||
    closeTo(whole, vocabulary, last, 1).length > 0
  )
    return [word];
  for (let at = word.length - leastPart; at > 1; at--) {
    const [first, second] = [word.slice(0, at), word.slice(at)];
    if (first.length < leastPart && !isAbbreviation(first)) continue;
    if (
      vocabulary.find(termOf(first)) >= 0 &&
      (vocabulary.find(termOf(second)) >= 0 || (last && begins(fold(second), vocabulary)))
    )
      return [first, second];
  }
  return [word];
}

function begins(beginning: string, vocabulary: Vocabulary): boolean {
  const { from, to } = vocabulary.startingWith(beginning);
  return to > from;
}

/** Who looks for a postal code looks for what is near: those of the same sectional centre, before them those of the same neighbourhood. */
function neighbours(postalCode: string, vocabulary: Vocabulary): Run[] {
  const { from, to } = vocabulary.startingWith(postalCode.slice(0, 3));
  const runs: Run[] = [];
  for (let term = from; term < to; term++) {
    const other = vocabulary.terms[term]!;
    if (/^\d{5}$/.test(other))
      runs.push({
        from: term,
        to: term + 1,
        quality: other[3] === postalCode[3] ? qualityOf.samePostalNeighbourhood : qualityOf.samePostalArea,
        typed: 0,
      });
  }
  return runs;
}
