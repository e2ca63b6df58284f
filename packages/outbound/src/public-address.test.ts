import type { LookupAddress } from 'node:dns';
import { AddressNotAllowed, assertPublicUrl, isPublicAddress, publicLookup } from './public-address';

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '2001:4860:4860::8888'])('%s is', (address) => expect(isPublicAddress(address)).toBe(true));
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '::1',
    'fe80::1',
    'fc00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '::a9fe:a9fe',
    '::7f00:1',
    '4000::1',
    'nonsense',
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('assertPublicUrl', () => {
  it.each([
    'http://example.org/',
    'ftp://example.org/',
    'https://user:pass@example.org/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://0x7f.1/',
  ])('refuses %s', (url) => {
    expect(() => assertPublicUrl(new URL(url))).toThrow(AddressNotAllowed);
  });
  it('accepts https to a host name, which is checked when it is resolved', () => {
    expect(() => assertPublicUrl(new URL('https://example.org:8443/fhir'))).not.toThrow();
  });
});

describe('publicLookup', () => {
  const resolve = (name: string, isAllowed?: (address: string) => boolean): Promise<string | LookupAddress[] | Error> =>
    new Promise((done) => publicLookup(isAllowed)(name, {}, (error, address) => done(error ?? address)));

  it('refuses a name that resolves to a private address', async () => {
    expect(await resolve('localhost')).toBeInstanceOf(AddressNotAllowed);
  });
  it('resolves a name whose addresses are allowed', async () => {
    expect(['127.0.0.1', '::1']).toContain(await resolve('localhost', () => true));
  });
});
