import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address that this service must not call: not https, or not on the public internet. */
export class AddressNotAllowed extends Error {
  constructor(reason: string) {
    super(`the address is refused: ${reason}`);
    this.name = 'AddressNotAllowed';
  }
}

/** Whether an IP address lies on the public internet: neither private, nor local, nor reserved, also when one hides in another's notation. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/** @throws AddressNotAllowed for anything but https to a name or a public IP address */
export function assertPublicUrl(url: URL): void {
  if (url.protocol !== 'https:') throw new AddressNotAllowed('only https is allowed');
  if (url.username || url.password) throw new AddressNotAllowed('it holds credentials');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) && !isPublicAddress(host)) throw new AddressNotAllowed('it is not a public one');
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Resolves a name as `dns.lookup` does, and refuses it when any of its addresses is not public. As it stands inside the connection,
 * the address that was checked is the address that is called.
 */
export function lookupPublicAddress(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error) callback(error, '');
    else if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
      callback(new AddressNotAllowed('its name does not lead to a public address'), '');
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
}
