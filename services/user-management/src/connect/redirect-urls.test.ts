import fc from 'fast-check';
import type { ConnectSession } from './connect-session';
import { clientRedirectUrl } from './redirect-urls';

describe('the redirect to the client', () => {
  const session: ConnectSession = {
    serviceUserId: 1,
    client: { client_id: 'c', name: 'C', mode: 'test', people: 'one' },
    types: null,
    healthSystem: { id: 5, name: '' },
    redirectUri: 'https://x.org/?keep=1',
    forwardedParameters: {},
    remainingRequests: [],
    connections: [{ connectionId: 'one', fhirVersion: 'r4' }],
  };

  it('names the connections, newest release first', () => {
    const connections = [
      { connectionId: 'b', fhirVersion: 'dstu2' },
      { connectionId: 'c', fhirVersion: 'stu3' },
      { connectionId: 'a', fhirVersion: 'r4' },
    ] as const;
    expect(clientRedirectUrl({ ...session, connections: [...connections], firstError: 'no_patient' })).toBe(
      'https://x.org/?keep=1&success=true&connection_id=a&connection_id=c&connection_id=b&health_system_id=5',
    );
  });

  it('returns any state unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (clientState) => {
        const address = clientRedirectUrl({ ...session, clientState });
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
