/** A value of a search parameter. Values of an array must all match; a comma within a text separates alternatives. */
export type SearchValue = string | number | boolean | Date;

/** Search parameters of FHIR by name, with modifiers as in `code:text`. */
export type SearchParameters = Record<string, SearchValue | readonly SearchValue[] | undefined>;

/** Whether parameters are known to have `_include` or `_revinclude`. */
export type Includes<Parameters extends SearchParameters> = string extends keyof Parameters
  ? false
  : Extract<keyof Parameters, `_include${string}` | `_revinclude${string}`> extends never
    ? false
    : true;

/** The query string of a search. */
export function searchQuery(parameters: SearchParameters): URLSearchParams {
  return new URLSearchParams(
    Object.entries(parameters).flatMap(([name, given]) =>
      (Array.isArray(given)
        ? (given as readonly SearchValue[])
        : given === undefined
          ? []
          : [given as SearchValue]
      ).map((value) => [name, value instanceof Date ? value.toISOString() : String(value)]),
    ),
  );
}

/**
 * Escapes a value, so that commas, `$`, `|` and backslashes of it have no special meaning (FHIR R4, section
 * 3.1.1.4.0.1).
 */
export function escapeSearchValue(value: string): string {
  return value.replaceAll(/[\\,$|]/g, String.raw`\$&`);
}
