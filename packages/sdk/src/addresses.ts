/** The addresses of the four APIs. */
export interface Addresses {
  /** Users, connect and FHIR. */
  baseUrl: string;
  /** Tokens. */
  authUrl: string;
  /** The directory of health systems. */
  searchUrl: string;
  /** Bulk export. */
  analyticsUrl: string;
}

/** The addresses without a slash at their end. @throws TypeError when one is missing or not absolute */
export function normalizeAddresses(addresses: Addresses): Addresses {
  const read = (name: keyof Addresses): string => {
    const address: unknown = addresses[name];
    if (typeof address !== 'string' || !URL.canParse(address)) throw new TypeError(`${name} must be an absolute URL`);
    return address.replace(/\/+$/, '');
  };
  return {
    baseUrl: read('baseUrl'),
    authUrl: read('authUrl'),
    searchUrl: read('searchUrl'),
    analyticsUrl: read('analyticsUrl'),
  };
}

/**
 * Resolves a link that the service returned, before credentials are sent there.
 * @throws TypeError when it leaves the address of the API: links contain the public addresses of the service, which the
 *   client must be configured with
 */
export function ownLink(link: string, base: string): string {
  const url = new URL(link, `${base}/`);
  const root = new URL(base);
  if (url.origin !== root.origin || !`${url.pathname}/`.startsWith(`${root.pathname.replace(/\/$/, '')}/`))
    throw new TypeError(`a link leads to ${url.origin}, but credentials are sent to ${base} only`);
  return url.href;
}
