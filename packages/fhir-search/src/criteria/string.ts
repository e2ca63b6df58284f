import { prefixLength, prefixTerm } from '../index/terms';
import { unescaped } from '../query/escapes';
import { SearchError } from '../search-error';
import { fold, soundex, words } from '../values/folding';
import { stringsOf } from '../values/string-values';
import { matchAll } from './criterion';
import type { ValueContext, ValueTest } from './value-test';

/**
 * The beginning of a value, ignoring case and accents: https://hl7.org/fhir/R4/search.html#string. `:exact` compares
 * the whole value, `:contains` any part of it.
 * @throws SearchError when the value is empty
 */
export function parseString(text: string, { parameter, modifier }: ValueContext): ValueTest {
  const wanted = unescaped(text);
  const folded = fold(wanted);
  if (folded === '') throw new SearchError(parameter, 'invalid', `${parameter} needs some text`);
  if (modifier === 'contains') {
    return {
      condition: () => matchAll,
      exact: () => false,
      test: (path, value) => stringsOf(path.type, value).some((each) => fold(each).includes(folded)),
    };
  }
  const isMatch =
    modifier === 'exact' ? (each: string) => each === wanted : (each: string) => fold(each).startsWith(folded);
  return {
    condition: ({ index }) =>
      folded.length >= prefixLength ? { op: 'any-term', terms: [prefixTerm(index.name, folded)] } : matchAll,
    exact: () => modifier === undefined && folded.length === prefixLength,
    test: (path, value) => stringsOf(path.type, value).some(isMatch),
  };
}

/** Words that sound like words of a value (Soundex), for the parameter `phonetic`. */
export function parsePhonetic(text: string, { parameter }: ValueContext): ValueTest {
  const wanted = words(fold(unescaped(text))).map(soundex);
  if (wanted.length === 0) throw new SearchError(parameter, 'invalid', `${parameter} needs some text`);
  return {
    condition: () => matchAll,
    exact: () => false,
    test: (path, value) => {
      const sounds = new Set(stringsOf(path.type, value).flatMap((each) => words(fold(each)).map(soundex)));
      return wanted.every((sound) => sounds.has(sound));
    },
  };
}

/** Whether a text contains the searched words at the beginning of one of its words. */
export function startsAtAWord(folded: string, wanted: string): boolean {
  if (wanted === '') return false;
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(folded[at - 1] ?? '')) return true;
  }
  return false;
}
