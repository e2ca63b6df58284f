import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressKey, clientAddress, proxyRanges, warningOfUntrustedProxies } from './client-address';

const trusted = proxyRanges.parse('127.0.0.0/8, 10.0.0.0/8, fd00::/8');

function addressOf(remoteAddress: string | undefined, forwarded?: string): string {
  const request = { headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } };
  return clientAddress(request as unknown as IncomingMessage, trusted);
}

describe('clientAddress', () => {
  it.each([
    ['198.51.100.7', undefined, '198.51.100.7'],
    ['10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::ffff:10.0.0.1', '198.51.100.7, 10.0.0.9', '198.51.100.7'],
    ['fd00::1', '2001:DB8::7', '2001:db8::7'],
    ['10.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
    ['10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['10.0.0.1', '10.1.1.1, 10.0.0.9', '10.1.1.1'],
  ])('of %s with X-Forwarded-For %s is %s', (remote, forwarded, expected) => {
    expect(addressOf(remote, forwarded)).toBe(expected);
  });

  it('is read again for other ranges, another sender and another header', () => {
    const request = (remoteAddress: string, forwarded: string): IncomingMessage =>
      ({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } }) as unknown as IncomingMessage;
    const others = proxyRanges.parse('192.0.2.0/24');
    const found = () => [
      clientAddress(request('10.0.0.1', '198.51.100.7'), trusted),
      clientAddress(request('10.0.0.1', '198.51.100.7'), others),
      clientAddress(request('192.0.2.1', '198.51.100.8'), others),
      clientAddress(request('192.0.2.1', '198.51.100.9'), others),
    ];
    expect(found()).toEqual(['198.51.100.7', '10.0.0.1', '198.51.100.8', '198.51.100.9']);
    expect(found()).toEqual(found());
  });

  it('is not what an untrusted client sends', () => {
    expect(addressOf('198.51.100.7', '203.0.113.1')).toBe('198.51.100.7');
    expect(addressOf('10.0.0.1', '203.0.113.1, 198.51.100.7')).toBe('198.51.100.7');
  });

  it('is that of the last proxy when the header before it is not an address', () => {
    expect(addressOf('10.0.0.1', '198.51.100.7, unknown')).toBe('10.0.0.1');
    expect(addressOf('10.0.0.1', '198.51.100.7, , 10.0.0.3')).toBe('10.0.0.3');
    expect(addressOf('10.0.0.1', '')).toBe('10.0.0.1');
    expect(addressOf('10.0.0.1', ', 10.0.0.3')).toBe('10.0.0.3');
    expect(addressOf(undefined)).toBe('unknown');
  });

  it('is the 32nd from the right at most', () => {
    const proxies = (count: number): string[] =>
      Array.from({ length: count }, (_proxy, index) => `10.0.0.${index + 1}`);
    expect(addressOf('10.0.0.1', ['198.51.100.7', ...proxies(31)].join())).toBe('198.51.100.7');
    expect(addressOf('10.0.0.1', ['198.51.100.7', ...proxies(32)].join())).toBe('10.0.0.1');
  });
});

describe('warningOfUntrustedProxies', () => {
  it.each([
    ['warns once of X-Forwarded-For from an address outside the ranges', '10.0.0.0/8', ['127.0.0.1']],
    ['is silent about proxies', '127.0.0.0/8', []],
  ])('%s', async (_name, ranges, expected) => {
    const warned: unknown[] = [];
    const log = { warn: ({ address }: { address: string }) => void warned.push(address) };
    const server = createServer(
      warningOfUntrustedProxies((_request, response) => response.end(), proxyRanges.parse(ranges), log),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await fetch(url);
    expect(warned).toEqual([]);
    for (let i = 0; i < 3; i++) await fetch(url, { headers: { 'X-Forwarded-For': '192.0.2.1' } });
    expect(warned).toEqual(expected);
    server.closeAllConnections();
    server.close();
  });
});

describe('proxyRanges', () => {
  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/8/8', 'private', '10.0.0.0/8,,', 'fd00::/129', '10.0.0.0/'])(
    'refuses %s',
    (text) => {
      expect(proxyRanges.safeParse(text).success).toBe(false);
    },
  );
});

describe('addressKey', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::7', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::2:3:4:5:6', '1:0:0:2::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of %s is %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});
