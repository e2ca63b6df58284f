/**
 * The version of the rules that produce index rows. Each row has the version that wrote it. A record whose rows all
 * have this version is searched by its index. Rows of other versions are decided on content until the background
 * re-index has replaced them.
 *
 * Raise the version by one with every change after which a resource has other terms or ranges, or a search has other
 * conditions:
 * - the format of terms and range names, and the length of prefixes (`terms.ts`);
 * - which elements are indexed, and their names (`element-index.ts`, the search parameters of fhir-definitions);
 * - how values are compared: folding, tokens, references, dates, units of quantities (`values/`, and dates in
 *   fhir-json);
 * - how the record storage blinds terms and encodes numbers and dates (its `index-values/`).
 *
 * A change of what is decided on content alone needs no new version. `index-version.test.ts` fails when the rules
 * change and the version does not.
 *
 * Version 1: rows from before versions were kept; some lack values. Version 2: dates
 * could have the hour 24 and time zones beyond 14 hours. Version 3: times had the dates of UTC only.
 */
export const INDEX_VERSION = 4;
