import fc from 'fast-check';
import { clientAddress, withParameters } from './redirect-urls';
import { BrowserCookie } from './browser-cookie';
import { scopesToAsk } from './scopes';

describe('withParameters', () => {
  it.each([
    ['https://x.org/cb', 'https://x.org/cb?a=1'],
    ['https://x.org/cb?', 'https://x.org/cb?a=1'],
    ['https://x.org/cb?b=%2F', 'https://x.org/cb?b=%2F&a=1'],
    ['https://x.org:443//cb/?b=c&', 'https://x.org:443//cb/?b=c&a=1'],
    ['https://x.org/cb#part', 'https://x.org/cb?a=1#part'],
    ['app://cb', 'app://cb?a=1'],
  ])('adds to %s', (address, expected) => expect(withParameters(address, { a: '1', none: undefined })).toBe(expected));

  it('gives any state back untouched', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (clientState) => {
        const address = clientAddress({
          serviceUserId: 1,
          clientId: 'c',
          healthSystem: { id: 5, name: '' },
          redirectUri: 'https://x.org/?keep=1',
          clientState,
          hints: {},
          remaining: [],
          connected: true,
        });
        const query = new URL(address).searchParams;
        expect([query.get('state'), query.get('keep'), query.get('health_system_id'), query.get('success')]).toEqual([
          clientState,
          '1',
          '5',
          'true',
        ]);
      }),
    );
  });
});

describe('the browser cookie', () => {
  it('is bound to the host and to https where the service is', () => {
    const cookie = new BrowserCookie('https://tributary.example');
    const line = cookie.set('state', 'secret', 600);
    expect(line).toMatch(/^__Host-connect-[0-9a-f]{16}=secret; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    expect(cookie.read('state', `other=1; ${line.split(';')[0]}; x=y`)).toBe('secret');
    expect(cookie.read('another state', line.split(';')[0])).toBeUndefined();
    expect(cookie.read('state', undefined)).toBeUndefined();
    expect(cookie.clear('state')).toContain('Max-Age=0');
  });
});

describe('scopes', () => {
  const launch = 'launch/patient openid fhirUser offline_access';
  it('are a wildcard, in the way the health system writes it', () => {
    expect(scopesToAsk({ releases: ['r4'], form: 'wildcard' })).toBe(`${launch} patient/*.read`);
    expect(scopesToAsk({ releases: ['r4'], form: 'wildcard', supported: ['openid', 'patient/*.rs'] })).toBe(
      `${launch} patient/*.rs`,
    );
    expect(scopesToAsk({ releases: ['r4'], form: 'wildcard', supported: ['patient/*.rs', 'patient/*.read'] })).toBe(
      `${launch} patient/*.read`,
    );
    expect(scopesToAsk({ releases: ['r4'], form: 'wildcard', supported: ['openid', 'profile'] })).toBe(
      `${launch} patient/*.read`,
    );
  });

  it('are the announced types where no wildcard is', () => {
    expect(
      scopesToAsk({
        releases: ['r4'],
        form: 'wildcard',
        supported: ['patient/Patient.read', 'patient/Observation.rs', 'patient/Observation.write', 'user/Patient.read'],
      }),
    ).toBe(`${launch} patient/Patient.read patient/Observation.rs`);
  });

  it('are the registered ones before all others', () => {
    expect(
      scopesToAsk({
        releases: ['r4'],
        form: 'perType',
        supported: ['patient/*.rs'],
        registered: 'patient/Patient.read',
      }),
    ).toBe('patient/Patient.read');
  });

  it('are the types of the releases where the wildcard is refused', () => {
    const dstu2 = scopesToAsk({ releases: ['dstu2'], form: 'perType', supported: ['patient/*.read'] });
    expect(dstu2).toContain('patient/MedicationOrder.read');
    expect(dstu2).not.toContain('MedicationRequest');
    expect(dstu2).not.toContain('*');
  });
});
