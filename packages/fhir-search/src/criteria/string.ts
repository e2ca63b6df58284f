import { prefixLength, prefixTerm } from '../index/terms';
import { unescaped } from '../query/escapes';
import { SearchError } from '../search-error';
import { fold, soundex, words } from '../values/folding';
import { stringsOf } from '../values/string-values';
import { everything } from './criterion';
import type { ValueContext, ValueTest } from './value-test';

/** Text at the start of a value, whatever its case and accents; `:exact` is the very value, `:contains` a part of it. */
export function readString(text: string, { parameter, modifier }: ValueContext): ValueTest {
  const wanted = unescaped(text);
  const folded = fold(wanted);
  if (folded === '') throw new SearchError(parameter, 'invalid', `${parameter} needs some text`);
  if (modifier === 'contains') {
    return {
      condition: () => everything,
      exact: () => false,
      test: (path, value) => stringsOf(path.type, value).some((each) => fold(each).includes(folded)),
    };
  }
  const isMatch =
    modifier === 'exact' ? (each: string) => each === wanted : (each: string) => fold(each).startsWith(folded);
  return {
    condition: ({ index }) =>
      folded.length >= prefixLength ? { op: 'any-term', terms: [prefixTerm(index.name, folded)] } : everything,
    exact: () => modifier === undefined && folded.length === prefixLength,
    test: (path, value) => stringsOf(path.type, value).some(isMatch),
  };
}

/** Text that sounds like a word of a value, for the parameters called `phonetic`. */
export function readPhonetic(text: string, { parameter }: ValueContext): ValueTest {
  const wanted = words(fold(unescaped(text))).map(soundex);
  if (wanted.length === 0) throw new SearchError(parameter, 'invalid', `${parameter} needs some text`);
  return {
    condition: () => everything,
    exact: () => false,
    test: (path, value) => {
      const sounds = new Set(stringsOf(path.type, value).flatMap((each) => words(fold(each)).map(soundex)));
      return wanted.every((sound) => sounds.has(sound));
    },
  };
}

/** Whether the searched words stand in a text, beginning where one of its words begins. */
export function startsAtAWord(folded: string, wanted: string): boolean {
  if (wanted === '') return false;
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(folded[at - 1] ?? '')) return true;
  }
  return false;
}
