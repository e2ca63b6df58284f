export type NextLink = { kind: 'end' } | { kind: 'page'; url: string } | { kind: 'stop'; reason: string };

const ports = /^(https?:\/\/[^/:]+:\d+)(:\d+)+/i;

/**
 * Where the next page is. Health systems write relative links, links without a scheme, with a doubled port, with `http:` or an internal host behind
 * their proxy: such a link is rebuilt on the FHIR base. A link that was already followed ends the type.
 * @param hasRead whether a page was read in this search already
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
  // By the book a relative link starts from its page; some servers mean their base.
  const [fromPage, fromBase] = [page, `${fhirBaseUrl.replace(/\/+$/, '')}/`].map((start) =>
    URL.canParse(text, start) ? new URL(text, start) : undefined,
  );
  const url =
    [fromPage, fromBase].find((candidate) => candidate?.origin === base.origin && isInside(candidate, base)) ??
    fromPage;
  return !url || url.origin === base.origin ? url?.href : rebuilt(url, base);
}

/** A link to another origin is taken for one of a proxy's inside when its path is that of the FHIR base, or a paging endpoint right below its own root. */
function rebuilt(url: URL, base: URL): string | undefined {
  if (!isInside(url, base) && url.hostname !== base.hostname) return undefined;
  return `${base.origin}${url.pathname}${url.search}`;
}

function isInside(url: URL, base: URL): boolean {
  const basePath = base.pathname.replace(/\/+$/, '');
  return url.pathname === basePath || url.pathname.startsWith(`${basePath}/`);
}
