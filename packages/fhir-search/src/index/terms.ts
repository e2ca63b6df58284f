// The format of terms and range names, which indexing and searching share. The letter after the element's path
// separates the types of values.

export const codeTerm = (element: string, code: string): string => `${element}|c|${code}`;
export const systemCodeTerm = (element: string, system: string, code: string): string =>
  `${element}|s|${system}|${code}`;
export const referenceTerm = (element: string, reference: string): string => `${element}|r|${reference}`;
/** The reference is to a contained resource. */
export const containedReferenceTerm = (element: string): string => referenceTerm(element, '#');
export const uriTerm = (element: string, uri: string): string => `${element}|=|${uri}`;
export const unitTerm = (element: string, unit: string): string => `${element}|u|${unit}`;

export const dateName = (element: string): string => `${element}|d`;
/** Dates in the time zone that they are written with. */
export const localDateName = (element: string): string => `${element}|l`;
export const numberName = (element: string): string => `${element}|n`;
/** The name of quantities in base units contains the unit. */
export const canonicalName = (element: string, unit: string): string => `${element}|n|${unit}`;

/**
 * A string search compares the beginning of values. To decide it by terms alone, a value would need a term for each of
 * its prefixes. A value has one term, of its first three letters: it takes 8 bytes and leaves few candidates within a
 * record, which are decided on content. Searches for fewer letters are decided on the content of all resources of the
 * type.
 */
export const prefixLength = 3;
export const prefixTerm = (element: string, foldedText: string): string =>
  `${element}|p|${foldedText.slice(0, prefixLength)}`;
