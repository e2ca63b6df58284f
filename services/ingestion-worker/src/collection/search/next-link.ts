import { withoutFinalSlash } from '@tributary/contracts';

export type NextLink = { kind: 'end' } | { kind: 'page'; url: string } | { kind: 'stop'; reason: string };

const ports = /^(https?:\/\/[^/:]+:\d+)(:\d+)+/i;

/**
 * The URL of the next page (https://hl7.org/fhir/R4/http.html#paging). Health systems also send relative links and
 * links without a scheme, with a doubled port, with `http:`, or with the internal host behind their proxy: such a link
 * is rebuilt on the FHIR base.
 * @param link of the Bundle with the relation `next`
 * @param page the URL of the current page
 * @param hasRead whether this search has read a URL already
 */
export function nextLink(
  link: string | undefined,
  page: string,
  fhirBaseUrl: string,
  hasRead: (url: string) => boolean,
): NextLink {
  if (link === undefined || link.trim() === '') return { kind: 'end' };
  const url = resolveOnBase(link.trim(), page, fhirBaseUrl);
  if (!url) return { kind: 'stop', reason: 'its link to the next page is no address of this health system' };
  if (url === page || hasRead(url)) return { kind: 'stop', reason: 'its pages lead in a circle' };
  return { kind: 'page', url };
}

function resolveOnBase(link: string, page: string, fhirBaseUrl: string): string | undefined {
  const base = new URL(fhirBaseUrl);
  const absolute = link.replace(ports, '$1');
  const text =
    /^[\w.-]+\.[a-z]{2,}(:\d+)?\//i.test(absolute) && !absolute.includes('://')
      ? `${base.protocol}//${absolute}`
      : absolute;
  // RFC 3986 resolves a relative link against its page; some servers mean the FHIR base.
  const [fromPage, fromBase] = [page, `${withoutFinalSlash(fhirBaseUrl)}/`].map((start) =>
    URL.canParse(text, start) ? new URL(text, start) : undefined,
  );
  const url =
    [fromPage, fromBase].find((candidate) => candidate?.origin === base.origin && isInside(candidate, base)) ??
    fromPage;
  return !url || url.origin === base.origin ? url?.href : rebuilt(url, base);
}

/**
 * A link to another origin is taken for the URL behind the server's proxy when its path starts with that of the FHIR
 * base, or when only the scheme or port differ.
 */
function rebuilt(url: URL, base: URL): string | undefined {
  if (!isInside(url, base) && url.hostname !== base.hostname) return undefined;
  return `${base.origin}${url.pathname}${url.search}`;
}

function isInside(url: URL, base: URL): boolean {
  const basePath = withoutFinalSlash(base.pathname);
  return url.pathname === basePath || url.pathname.startsWith(`${basePath}/`);
}
