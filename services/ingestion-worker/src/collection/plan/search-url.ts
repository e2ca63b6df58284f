/** A search by its type and parameters. */
export interface Search {
  type: string;
  parameters: URLSearchParams;
}

/** Parses a search (`Type?query`). The URL of a read has no parameters. */
export function parseSearch(url: string): Search {
  const question = url.indexOf('?');
  return question < 0
    ? { type: url, parameters: new URLSearchParams() }
    : { type: url.slice(0, question), parameters: new URLSearchParams(url.slice(question + 1)) };
}

/**
 * The URL of a search relative to the FHIR base. Slashes and commas are not percent-encoded: RFC 3986 allows them in a
 * query, and some servers do not decode them.
 */
export function searchUrl({ type, parameters }: Search): string {
  return `${type}?${parameters.toString().replaceAll('%2F', '/').replaceAll('%2C', ',')}`;
}
