import { fold, words } from './words';
import { isAbbreviation, isCommonTerm, termOf } from './terms';
import type { Vocabulary } from './vocabulary';

/** Consecutive terms of the vocabulary that match a word of the query; `to` is exclusive. */
export interface TermRange {
  from: number;
  to: number;
  /** Factor of the weight: 1 for an exact match, less for prefixes, fuzzy matches and nearby postal codes. */
  quality: number;
  /** For prefix matches: the number of letters that were typed; else 0. */
  typedLength: number;
}

export interface QueryTerm {
  ranges: TermRange[];
  /** Whether the term only affects the order of results. */
  isOptional: boolean;
}

const maxWords = 12;
/** Longer words are not matched fuzzily. */
const maxWordLength = 40;
/** The last four digits of a ZIP+4 code. */
const zipExtension = /(?<=\b\d{5})-\d{4}\b/g;
/** Minimum length of the parts of a split word, except for abbreviations such as "st". */
const minPartLength = 3;
const qualityOf = {
  prefix: 0.9,
  joined: 0.95,
  oneEdit: 0.7,
  twoEdits: 0.45,
  editInPrefix: 0.8,
  samePostalArea: 0.35,
  samePostalNeighbourhood: 0.5,
} as const;

/**
 * Translates a query into terms of the vocabulary. Words written together or apart match the other way around as well.
 * @param fuzzy allows fuzzy matches also for words that match exactly or by prefix
 */
export function parseQuery(query: string, vocabulary: Vocabulary, fuzzy: boolean): QueryTerm[] {
  const written = words(query.replace(zipExtension, '')).slice(0, maxWords);
  const split = [
    ...new Set(written.flatMap((word, index) => splitCompound(word, vocabulary, index === written.length - 1))),
  ];
  const terms = split.map((word, index) => parseWord(word, vocabulary, { fuzzy, last: index === split.length - 1 }));
  for (let index = 1; index < split.length; index++) {
    const joined = vocabulary.find(termOf(fold(split[index - 1]! + split[index]!)));
    if (joined < 0) continue;
    const range = { from: joined, to: joined + 1, quality: qualityOf.joined, typedLength: 0 };
    terms[index - 1]!.ranges.push(range);
    terms[index]!.ranges.push(range);
  }
  return terms.some(({ isOptional }) => !isOptional)
    ? terms
    : terms.map(({ ranges }) => ({ ranges, isOptional: false }));
}

function parseWord(
  word: string,
  vocabulary: Vocabulary,
  { fuzzy, last }: { fuzzy: boolean; last: boolean },
): QueryTerm {
  const term = termOf(word);
  const ranges: TermRange[] = [];
  const exact = vocabulary.find(term);
  if (exact >= 0) ranges.push({ from: exact, to: exact + 1, quality: 1, typedLength: 0 });
  const prefix = isAbbreviation(word) ? fold(word) : term;
  if (prefix.length > 1 || last) {
    const { from, to } = vocabulary.startingWith(prefix);
    for (const part of exact >= from && exact < to
      ? [
          { from, to: exact },
          { from: exact + 1, to },
        ]
      : [{ from, to }]) {
      if (part.to > part.from) ranges.push({ ...part, quality: qualityOf.prefix, typedLength: prefix.length });
    }
  }
  let isOptional = isCommonTerm(term);
  if (/\d/.test(term)) {
    if (/^\d{5}$/.test(term)) ranges.push(...nearbyPostalCodes(term, vocabulary));
  } else if (ranges.length === 0 || fuzzy) {
    const typos = fuzzyRanges(term, vocabulary, last);
    if (ranges.length === 0)
      isOptional = typos.some(
        ({ from, to, typedLength }) => typedLength === 0 && to === from + 1 && isCommonTerm(vocabulary.terms[from]!),
      );
    ranges.push(...typos);
  }
  return { ranges, isOptional };
}

/**
 * Returns the nearest fuzzy matches of a word: none for words of less than four letters, at most one edit below eight
 * letters, else two. The last word of a query can also match by a fuzzy prefix, because it may be incomplete.
 */
function fuzzyRanges(
  term: string,
  vocabulary: Vocabulary,
  last: boolean,
  maxEdits = term.length < 8 ? 1 : 2,
): TermRange[] {
  if (term.length < 4 || term.length > maxWordLength) return [];
  for (let distance = 1; distance <= maxEdits; distance++) {
    const found = vocabulary.fuzzyMatches(term, distance).filter((typo) => typo.distance > 0);
    if (found.length > 0)
      return found.map(({ from, to }) => ({
        from,
        to,
        quality: distance === 1 ? qualityOf.oneEdit : qualityOf.twoEdits,
        typedLength: 0,
      }));
  }
  if (!last) return [];
  return vocabulary.fuzzyMatches(term, 1, true).map(({ from, to }) => ({
    from,
    to,
    quality: qualityOf.oneEdit * qualityOf.editInPrefix,
    typedLength: term.length,
  }));
}

/**
 * Splits a word with a missing space, such as "mayoclinic". Only words without an exact, prefix or one-edit match are
 * split. Both parts must be words of the index, the first as long as possible; the second part of the last word can be
 * a prefix.
 */
function splitCompound(word: string, vocabulary: Vocabulary, last: boolean): string[] {
  const whole = termOf(word);
  if (
    word.length > maxWordLength ||
    /\d/.test(whole) ||
    isPrefix(whole, vocabulary) ||
    isPrefix(fold(word), vocabulary) ||
    fuzzyRanges(whole, vocabulary, last, 1).length > 0
  )
    return [word];
  for (let at = word.length - minPartLength; at > 1; at--) {
    const [first, second] = [word.slice(0, at), word.slice(at)];
    if (first.length < minPartLength && !isAbbreviation(first)) continue;
    if (
      vocabulary.find(termOf(first)) >= 0 &&
      (vocabulary.find(termOf(second)) >= 0 || (last && isPrefix(fold(second), vocabulary)))
    )
      return [first, second];
  }
  return [word];
}

function isPrefix(prefix: string, vocabulary: Vocabulary): boolean {
  const { from, to } = vocabulary.startingWith(prefix);
  return to > from;
}

/**
 * Returns the postal codes with the same first three digits (sectional center); those with the same first four digits
 * rank higher.
 */
function nearbyPostalCodes(postalCode: string, vocabulary: Vocabulary): TermRange[] {
  const { from, to } = vocabulary.startingWith(postalCode.slice(0, 3));
  const ranges: TermRange[] = [];
  for (let term = from; term < to; term++) {
    const other = vocabulary.terms[term]!;
    if (/^\d{5}$/.test(other))
      ranges.push({
        from: term,
        to: term + 1,
        quality: other[3] === postalCode[3] ? qualityOf.samePostalNeighbourhood : qualityOf.samePostalArea,
        typedLength: 0,
      });
  }
  return ranges;
}
