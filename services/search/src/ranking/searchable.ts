import type { Place } from '../directory/directory-entry';
import { fold, partsOfCompound, words } from './fold';
import { isSilent, states, termOf } from './terms';
import { stateOfPostalCode } from './zip-states';

/** How much a term counts, by where it stands; in hundredths. From `inName` on it stands in the name. */
export const fieldWeight = { nameBeginning: 115, name: 100, alias: 85, place: 70, affiliation: 40 } as const;
export const inName = fieldWeight.name;

/** What a health system can be found by. */
export interface Searchable {
  name: string;
  aliases: readonly string[];
  places: readonly Place[];
  /** Names of its parents and portals. */
  affiliations: readonly string[];
}

/** The terms of words, remembered: a directory says the same few thousand words a million times. */
export class WordReader {
  readonly #known = new Map<string, readonly string[]>();

  /** The term of the word itself, then those of its parts. */
  termsOf(word: string): readonly string[] {
    const known = this.#known.get(word);
    if (known) return known;
    const terms = [word, ...partsOfCompound(word)].map(termOf);
    this.#known.set(word, terms);
    return terms;
  }
}

/** The terms of a health system, each with the weight of the best place it stands in. */
export function weightedTerms(
  { name, aliases, places, affiliations }: Searchable,
  reader: WordReader,
): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (term: string, weight: number): void => {
    if (term !== '' && (weights.get(term) ?? 0) < weight) weights.set(term, weight);
  };
  const addText = (text: string, weight: number): void => {
    for (const word of words(text)) for (const term of reader.termsOf(word)) add(term, weight);
  };
  const firstTelling = words(name).find((word) => !isSilent(termOf(word)));
  if (firstTelling !== undefined) add(termOf(firstTelling), fieldWeight.nameBeginning);
  addText(name, fieldWeight.name);
  for (const alias of aliases) addText(alias, fieldWeight.alias);
  for (const { text, line, city, state, postalCode } of places) {
    for (const part of [...(line ?? []), city, withoutExtension(postalCode)])
      if (part) addText(part, fieldWeight.place);
    if (text && !city) addText(text, fieldWeight.place);
    for (const term of stateTerms(state, postalCode)) add(term, fieldWeight.place);
  }
  for (const affiliation of affiliations) addText(affiliation, fieldWeight.affiliation);
  return weights;
}

/** The number of words of a name that tell something. */
export function nameLength(name: string): number {
  return Math.max(
    1,
    new Set(
      words(name)
        .map(termOf)
        .filter((term) => !isSilent(term)),
    ).size,
  );
}

/** The last four digits of a ZIP+4 lead to a side of a street, and look like the beginning of other postal codes. */
function withoutExtension(postalCode: string | undefined): string | undefined {
  return postalCode?.replace(/^(\d{5})-?\d{4}$/, '$1');
}

const abbreviationOf = new Map(Object.entries(states).map(([abbreviation, state]) => [state, abbreviation]));

/** A state is found by its abbreviation and by its name, which is one term ("newyork"): else every York would be in New York. */
function stateTerms(published: string | undefined, postalCode: string | undefined): string[] {
  const written = published === undefined ? '' : words(published).map(fold).join(' ');
  const abbreviation = written === '' ? stateOfPostalCode(postalCode ?? '') : (abbreviationOf.get(written) ?? written);
  if (abbreviation === undefined) return [];
  return [abbreviation, states[abbreviation] ?? ''].map((term) => term.replaceAll(' ', ''));
}
