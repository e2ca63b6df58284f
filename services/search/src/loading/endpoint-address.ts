import { isPublicAddress } from '@tributary/outbound';
import { isIP } from 'node:net';

const maxLength = 2048;

/** Top-level names that are reserved or used in private networks (RFC 2606, RFC 6762, RFC 7686). */
const privateNames =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|test|invalid|onion)\.?$/i;

/**
 * Validates the published address of an endpoint and removes the white space around it. The rest stays as published,
 * because health systems distinguish URLs that a URL parser normalizes to the same text.
 *
 * Only what the text shows is checked here. The address that a name resolves to is checked by the collector when it
 * connects.
 * @param sandbox allows http and private addresses
 */
export function readEndpointAddress(published: string, sandbox: boolean): { address: string } | { problem: string } {
  const address = published.trim();
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (
    !url ||
    address.length > maxLength ||
    !/^https?:$/.test(url.protocol) ||
    /[\s\p{Cc}\p{Cs}\\<>"{}|^`]/u.test(address) ||
    !/^https?:\/\/[^/]/i.test(address) ||
    url.username ||
    url.password ||
    address.includes('#') ||
    address.includes('?')
  ) {
    return { problem: 'malformed address' };
  }
  if (sandbox) return { address };
  if (url.protocol !== 'https:') return { problem: 'address is not https' };
  return isPublicHost(url.hostname) ? { address } : { problem: 'address lies in an internal network' };
}

function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) return isPublicAddress(host);
  return !privateNames.test(host) && host.replace(/\.$/, '').includes('.');
}
