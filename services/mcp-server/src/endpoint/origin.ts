import { HttpError } from '@tributary/service-kit';

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Refuses requests of web pages by their `Origin`, as the transport demands against DNS rebinding
 * (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports). A rebound name has no certificate, so
 * that its pages are served over http: origins over https are accepted, and over http the loopback names only.
 * @param allowed when given, the only origins that are accepted
 * @throws HttpError 403 for any other origin, and for an opaque one (`null`)
 */
export function requireValidOrigin(origin: string | undefined, allowed: readonly string[] | undefined): void {
  if (origin === undefined) return;
  const isAccepted = allowed === undefined ? isTrustworthy(origin) : allowed.includes(origin.toLowerCase());
  if (!isAccepted) throw new HttpError('invalid_origin', 'requests from this Origin are not accepted');
}

function isTrustworthy(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, origin: parsed } = new URL(origin);
  if (parsed !== origin.toLowerCase()) return false;
  return protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname));
}
