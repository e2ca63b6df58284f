import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { boundedLookup } from './bounded-lookup';

/** The URL must not be called: it is not https, contains credentials, or leads to an address that is not public. */
export class AddressNotAllowed extends Error {
  constructor(reason: string) {
    super(`the address is refused: ${reason}`);
    this.name = 'AddressNotAllowed';
  }
}

/** Whether requests may be sent to an IP address. */
export type AddressRule = (address: string) => boolean;

/** What IANA assigns of the global unicast addresses of IPv6 (RFC 4291, section 2.4). */
const assignedIpv6 = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an IP address is globally routable unicast: not private, local or reserved (RFC 6890), also when IPv4 is
 * mapped into IPv6. Other forms that hold an IPv4 address (`::a9fe:a9fe`) are not: a router may send them there.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(assignedIpv6));
}

/**
 * Checks what a URL shows by itself; the addresses of a host name are checked when a connection is opened
 * (`publicLookup`).
 * @throws AddressNotAllowed unless it is https, without credentials, to a host name or a public IP address
 */
export function assertPublicUrl(url: URL, isAllowed: AddressRule = isPublicAddress): void {
  if (url.protocol !== 'https:') throw new AddressNotAllowed('only https is allowed');
  if (url.username || url.password) throw new AddressNotAllowed('it holds credentials');
  const host = hostOf(url);
  if (isIP(host) && !isAllowed(host)) throw new AddressNotAllowed('it is not a public one');
}

/** The host name or IP address of a URL, an IPv6 address without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Resolves names as `dns.lookup` does, and fails with `AddressNotAllowed` when any address of a name is not public. As
 * the `lookup` option of a connection it checks the very address that is connected to.
 */
export function publicLookup(
  isAllowed: AddressRule = isPublicAddress,
): (hostname: string, options: LookupOptions, callback: LookupCallback) => void {
  return (hostname, options, callback) =>
    boundedLookup(hostname, options, (error, addresses) => {
      const [first] = addresses;
      if (error) callback(error, '');
      else if (!first || !addresses.every(({ address }) => isAllowed(address)))
        callback(new AddressNotAllowed('its name does not lead to a public address'), '');
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
}
