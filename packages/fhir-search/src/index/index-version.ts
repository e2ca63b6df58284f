/**
 * The version of the rules by which index rows are made. Every row carries the version that made it, and a record whose rows are all of this version is
 * searched by its index alone; the rows of other versions are decided on their content until the background re-index has made them anew.
 *
 * Raise it by one with every change after which a resource gets other terms or ranges, or a search asks for others:
 * - the spelling of terms and range names, and the length of prefixes (`terms.ts`);
 * - which elements are indexed and how they are named (`element-index.ts`, the search parameters of fhir-definitions);
 * - how values are read and compared: folding, tokens, references, dates, units of quantities (`values/`);
 * - how the record storage blinds terms and orders numbers and dates (its `index-values/`).
 *
 * A change of what is decided on content alone needs no new version. `index-version.test.ts` fails when the rules changed and the version did not.
 * Version 1: rows from before versions were kept; some lack values. Version 2: dates could have the hour 24 and time zones beyond 14 hours.
 */
export const INDEX_VERSION = 3;
