import type { PostalAddress } from '../directory/directory-entry';
import { fold, camelCaseParts, words } from './words';
import { isStopWord, states, termOf } from './terms';
import { stateOfPostalCode } from './postal-code-states';

/**
 * Weight of a term by the field it is in, in hundredths; a term in several fields has the largest. `nameBeginning` is
 * the first significant word of the name.
 */
const fieldWeight = { nameBeginning: 115, name: 100, alias: 85, address: 70, affiliation: 40 } as const;
export const inName = fieldWeight.name;

/** The searchable fields of a health system. */
export interface IndexedDocument {
  name: string;
  aliases: readonly string[];
  addresses: readonly PostalAddress[];
  /** Names of its parents and portals. */
  affiliations: readonly string[];
}

/** Caches the terms of words: a directory repeats a few thousand words. */
export class TermCache {
  readonly #known = new Map<string, readonly string[]>();

  /** Returns the term of the word, then those of its camel-case parts. */
  termsOf(word: string): readonly string[] {
    const known = this.#known.get(word);
    if (known) return known;
    const terms = [word, ...camelCaseParts(word)].map(termOf);
    this.#known.set(word, terms);
    return terms;
  }
}

/** Returns the terms of a health system, each with its weight. */
export function weightedTerms(
  { name, aliases, addresses, affiliations }: IndexedDocument,
  cache: TermCache,
): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (term: string, weight: number): void => {
    if (term !== '' && (weights.get(term) ?? 0) < weight) weights.set(term, weight);
  };
  const addText = (text: string, weight: number): void => {
    for (const word of words(text)) for (const term of cache.termsOf(word)) add(term, weight);
  };
  const firstSignificant = words(name).find((word) => !isStopWord(termOf(word)));
  if (firstSignificant !== undefined) add(termOf(firstSignificant), fieldWeight.nameBeginning);
  addText(name, fieldWeight.name);
  for (const alias of aliases) addText(alias, fieldWeight.alias);
  for (const { text, line, city, state, postalCode } of addresses) {
    for (const part of [...(line ?? []), city, withoutExtension(postalCode)])
      if (part) addText(part, fieldWeight.address);
    if (text && !city) addText(text, fieldWeight.address);
    for (const term of stateTerms(state, postalCode)) add(term, fieldWeight.address);
  }
  for (const affiliation of affiliations) addText(affiliation, fieldWeight.affiliation);
  return weights;
}

/** Returns the number of different words of a name that are not stop words, at least 1. */
export function nameLength(name: string): number {
  return Math.max(
    1,
    new Set(
      words(name)
        .map(termOf)
        .filter((term) => !isStopWord(term)),
    ).size,
  );
}

/**
 * Removes the last four digits of a ZIP+4 code: they identify a side of a street, and would match as the beginning of
 * other postal codes.
 */
function withoutExtension(postalCode: string | undefined): string | undefined {
  return postalCode?.replace(/^(\d{5})-?\d{4}$/, '$1');
}

const abbreviationOf = new Map([...states].map(([abbreviation, state]) => [state, abbreviation]));

/**
 * Indexes a state under its abbreviation and under its name as one term ("newyork"), so that "york" does not match
 * everything in New York.
 */
function stateTerms(published: string | undefined, postalCode: string | undefined): string[] {
  const name = published === undefined ? '' : words(published).map(fold).join(' ');
  const abbreviation = name === '' ? stateOfPostalCode(postalCode ?? '') : (abbreviationOf.get(name) ?? name);
  if (abbreviation === undefined) return [];
  return [abbreviation, states.get(abbreviation) ?? ''].map((term) => term.replaceAll(' ', ''));
}
