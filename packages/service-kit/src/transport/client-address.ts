import type { IncomingMessage, RequestListener } from 'node:http';
import { BlockList, type Socket, isIP, isIPv4 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { z } from 'zod';

const privateRanges = '127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7';

/** The addresses of proxies, as CIDR ranges separated by commas. */
export const proxyRanges = z
  .string()
  .default(privateRanges)
  .transform((text, context) => {
    const ranges = new BlockList();
    for (const range of text.split(',').map((part) => part.trim())) {
      const [address = '', prefix, ...rest] = range.split('/');
      const family = isIP(address);
      const bits = Number(prefix);
      const isRange =
        family > 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix ?? '') && bits <= (family === 4 ? 32 : 128);
      if (isRange) ranges.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
      else context.addIssue({ code: 'custom', message: 'must be CIDR ranges, separated by commas' });
    }
    return ranges;
  });

/** More proxies than any network has: a longer header is not read to its start. */
const maxHops = 32;

/** The results of `clientAddress` by the sender and the header, for each set of ranges. */
const addresses = new WeakMap<BlockList, LRUCache<string, string>>();
const maxCached = 5000;
/** A longer header than this is not cached, in characters. */
const maxCachedLength = 100;

/**
 * The address of the client of a request: the last one of `X-Forwarded-For` that is not a trusted proxy, among the last
 * 32. Each proxy appends the address that it received the request from, so what a client has sent in the header itself
 * stands further left and is not read. The gateway removes the header of clients, because a client can be within the
 * ranges of trusted proxies.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trusted: BlockList): string {
  const forwarded = headers['x-forwarded-for'];
  const hops = Array.isArray(forwarded) ? forwarded.join() : (forwarded ?? '');
  const sender = socket.remoteAddress ?? '';
  if (hops.length > maxCachedLength) return firstUntrusted(sender, hops, trusted);
  const cache = addressesOf(trusted);
  const path = `${sender} ${hops}`;
  const known = cache.get(path);
  if (known !== undefined) return known;
  const address = firstUntrusted(sender, hops, trusted);
  cache.set(path, address);
  return address;
}

/** Addresses are cached because a check against the ranges takes as long as the whole router of a request. */
function addressesOf(trusted: BlockList): LRUCache<string, string> {
  const known = addresses.get(trusted);
  if (known) return known;
  const cache = new LRUCache<string, string>({ max: maxCached });
  addresses.set(trusted, cache);
  return cache;
}

function firstUntrusted(sender: string, hops: string, trusted: BlockList): string {
  let address = hostOf(sender) ?? 'unknown';
  let end = hops.length;
  for (let hop = 0; hop < maxHops && end >= 0 && isTrusted(address, trusted); hop++) {
    const comma = hops.lastIndexOf(',', end - 1);
    const previous = hostOf(hops.slice(comma + 1, end));
    if (previous === undefined) break;
    address = previous;
    end = comma;
  }
  return address;
}

/** Passes requests on, and logs a warning, once, when a sender of `X-Forwarded-For` is no trusted proxy. */
export function warningOfUntrustedProxies(
  app: RequestListener,
  trusted: BlockList,
  log: Pick<Logger, 'warn'>,
): RequestListener {
  const checked = new WeakSet<Socket>();
  let hasWarned = false;
  return (request, response) => {
    const { headers, socket } = request;
    if (!hasWarned && headers['x-forwarded-for'] !== undefined && !checked.has(socket)) {
      checked.add(socket);
      const address = hostOf(socket.remoteAddress ?? '') ?? 'unknown';
      hasWarned = !isTrusted(address, trusted);
      if (hasWarned)
        log.warn(
          { address },
          'X-Forwarded-For is ignored because its sender is not within TRUSTED_PROXIES: if it is a proxy, all of its clients are counted as one',
        );
    }
    app(request, response);
  };
}

/**
 * What requests of an address are counted by: IPv4 addresses themselves, and IPv6 addresses by their first 64 bits, the
 * smallest network that is assigned to a customer.
 */
export function addressKey(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // An IPv4 address at the end stands for two groups.
  const present = [...before, ...after].reduce((sum, group) => sum + (isIPv4(group) ? 2 : 1), 0);
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - present }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
}

/** Without a port, and an IPv4 address in its own notation; undefined when this is not an address. */
function hostOf(text: string): string | undefined {
  const host = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i, '$1')
    .toLowerCase();
  return isIP(host) > 0 ? host : undefined;
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const family = isIP(address);
  return family > 0 && trusted.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
