// The spelling of terms and range names. Both sides use it: what is kept of a resource, and what a search asks for.
// The letter after the element's path keeps the kinds apart.

export const codeTerm = (element: string, code: string): string => `${element}|c|${code}`;
export const systemCodeTerm = (element: string, system: string, code: string): string =>
  `${element}|s|${system}|${code}`;
export const referenceTerm = (element: string, reference: string): string => `${element}|r|${reference}`;
/** Something that the resource contains is referred to. */
export const containedReferenceTerm = (element: string): string => referenceTerm(element, '#');
export const uriTerm = (element: string, uri: string): string => `${element}|=|${uri}`;
export const unitTerm = (element: string, unit: string): string => `${element}|u|${unit}`;

export const dateName = (element: string): string => `${element}|d`;
export const numberName = (element: string): string => `${element}|n`;
/** Quantities in base units lie under a name that holds the unit. */
export const canonicalName = (element: string, unit: string): string => `${element}|n|${unit}`;

/**
 * A string search finds values by how they start, so a term for every prefix would be needed to decide it from terms alone. One term for
 * the first three letters costs 8 bytes a value and leaves few candidates within one record; the rest is decided on those. A shorter
 * search looks at every candidate.
 */
export const prefixLength = 3;
export const prefixTerm = (element: string, foldedText: string): string =>
  `${element}|p|${foldedText.slice(0, prefixLength)}`;
