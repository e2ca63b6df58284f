import { BlockList, isIP } from 'node:net';

/** Why an address of a health system is not taken. */
export type AddressProblem = 'malformed address' | 'address is not https' | 'address lies in an internal network';

const internalNames =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|test|invalid|onion)\.?$/i;

/** One list for each family: in a list of both, the IPv6 network that stands for all of IPv4 would be every IPv4 address. */
const internalNetworks = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  internalNetworks.ipv4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  internalNetworks.ipv6.addSubnet(network, prefix, 'ipv6');

/**
 * The address of an endpoint as published, without the white space around it: health systems tell apart what a URL parser takes for equal.
 * Where a name leads is checked again whenever it is called; here only what can be seen is refused.
 * @param sandbox let http and internal addresses through
 */
export function readEndpointAddress(
  published: string,
  sandbox: boolean,
): { address: string } | { problem: AddressProblem } {
  const address = published.trim();
  const url = parse(address);
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    /[\s\\<>"{}|^`]/.test(address) ||
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
  return isInternal(url.hostname) ? { problem: 'address lies in an internal network' } : { address };
}

function isInternal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const version = isIP(host);
  if (version === 4) return internalNetworks.ipv4.check(host, 'ipv4');
  if (version === 6) return internalNetworks.ipv6.check(host, 'ipv6');
  return internalNames.test(host) || !host.replace(/\.$/, '').includes('.');
}

function parse(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}
