import { OutboundHttp } from '../outbound/outbound-http';
import { FakeHealthSystem } from '../../test/fake-health-system';
import { readConformanceStatement, readSmartConfiguration } from './discovery-documents';
import { DiscoveryFailed, discover } from './discovery';
import { searchParametersOfAccessToken } from './access-token-claims';
import { patientIdFromToken } from './token-patient-id';

describe('discovery', () => {
  let system: FakeHealthSystem;
  const http = new OutboundHttp({ allowPrivateAddresses: true, timeoutMs: 300_000 });
  beforeEach(async () => {
    system = await FakeHealthSystem.listen();
  });
  afterEach(() => system.close());

  it.each(['dstu2', 'stu3', 'r4'] as const)(
    'finds the endpoints of %s, also from a server that takes only the exact type of its release',
    async (release) => {
      system.behaviour.strictAccept = true;
      if (release === 'stu3') system.behaviour.smart = null;
      expect(await discover(http, system.endpoint(release))).toMatchObject({
        authorizationEndpoint: `${system.url}/authorize`,
        tokenEndpoint: `${system.url}/token`,
      });
    },
  );

  it('returns URLs byte for byte: slashes, ports, queries, other hosts', async () => {
    system.behaviour.smart = {
      authorization_endpoint: 'https://Login.example.org:443/oauth//authorize/?realm=a%2Fb',
      issuer: 'https://login.example.org',
      scopes_supported: 'openid',
    };
    expect(await discover(http, system.endpoint('r4'))).toEqual({
      authorizationEndpoint: 'https://Login.example.org:443/oauth//authorize/?realm=a%2Fb',
      tokenEndpoint: `${system.url}/token`,
      issuer: 'https://login.example.org',
      scopesSupported: undefined,
      capabilities: undefined,
      signingAlgorithms: undefined,
    });
  });

  it('resolves relative URLs', async () => {
    system.behaviour.smart = { authorization_endpoint: '/oauth/authorize' };
    expect((await discover(http, system.endpoint('r4'))).authorizationEndpoint).toBe(`${system.url}/oauth/authorize`);
  });

  it('reads /metadata when the smart-configuration has no endpoints', async () => {
    system.behaviour.smart = { authorization_endpoint: '', token_endpoint: 5 };
    expect((await discover(http, system.endpoint('r4'))).tokenEndpoint).toBe(`${system.url}/token`);
  });

  it('reads the smart-configuration of DSTU2 when /metadata has no endpoints', async () => {
    Object.assign(system.behaviour, { metadata: false, smartInDstu2: true });
    expect((await discover(http, system.endpoint('dstu2'))).tokenEndpoint).toBe(`${system.url}/token`);
    expect(system.discoveries).toBe(1);
  });

  it('names the failed requests in its error', async () => {
    Object.assign(system.behaviour, { smart: null, metadata: false });
    await expect(discover(http, system.endpoint('r4'))).rejects.toThrow(DiscoveryFailed);
    const endpoint = system.endpoint('dstu2');
    await system.close();
    await expect(discover(http, endpoint)).rejects.toThrow(/ECONNREFUSED/);
    system = await FakeHealthSystem.listen();
  });

  it.each(['', 'null', '[]', '{}', '<html>', '{"rest":"x"}', '{"rest":[{"security":5}]}'])(
    'reads nothing from %j',
    (text) => {
      expect(readConformanceStatement(text)).toBeUndefined();
      expect(readSmartConfiguration(text)).toBeUndefined();
    },
  );
});

describe('the patient of a token response', () => {
  const jwt = (claims: object): string => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.y`;
  const idToken = jwt;
  it('is its `patient`, or else the user of the id_token', () => {
    expect(patientIdFromToken({ patient: 'a-1' })).toBe('a-1');
    expect(patientIdFromToken({ patient: 'Patient/a-1' })).toBe('a-1');
    expect(patientIdFromToken({ id_token: idToken({ fhirUser: 'https://x.org/fhir/Patient/b.2' }) })).toBe('b.2');
    expect(patientIdFromToken({ id_token: idToken({ fhirUser: 'Practitioner/9' }) })).toBeUndefined();
    expect(patientIdFromToken({ id_token: 'rubbish' })).toBeUndefined();
    expect(patientIdFromToken({})).toBeUndefined();
  });

  it.each([
    ['https://ehr.example/fhir/Patient/1', '1'],
    ['https://ehr.example/fhir/Patient/1/', '1'],
    ['https://ehr.example/fhir/Patient/1/_history/3', '1'],
    ['Patient/a-1/_history/3', 'a-1'],
    ['/Patient/a%7E1', 'a~1'],
    [' a-1 ', 'a-1'],
    ['-20140000008325', '-20140000008325'],
    ['e.AbC_12|x', 'e.AbC_12|x'],
    [4711, '4711'],
    ['https://ehr.example/fhir/Practitioner/1', undefined],
    ['https://ehr.example/fhir/Patient/', undefined],
    ['Patient/%', undefined],
    [['a-1', 'a-2'], undefined],
    [{ reference: 'Patient/1' }, undefined],
  ])('%j is %j', (patient, id) => {
    expect(patientIdFromToken({ patient, id_token: idToken({ fhirUser: 'Patient/other' }) })).toBe(id);
  });

  it.each([undefined, null, ''])('is the user of the id_token when `patient` is %j', (patient) => {
    for (const [fhirUser, id] of [
      ['https://x.org/fhir/Patient/b.2/_history/3', 'b.2'],
      ['Patient/b.2', 'b.2'],
      ['https://x.org/fhir/RelatedPerson/b.2', undefined],
    ])
      expect(patientIdFromToken({ patient, id_token: idToken({ fhirUser }) })).toBe(id);
  });

  it('is a claim of the access token when nothing else names it', () => {
    const access_token = jwt({ local_patient_id: 'v-7' });
    expect(patientIdFromToken({ access_token })).toBe('v-7');
    expect(patientIdFromToken({ access_token, patient: 'a-1' })).toBe('a-1');
    expect(patientIdFromToken({ access_token, id_token: idToken({ fhirUser: 'Patient/b' }) })).toBe('b');
    expect(patientIdFromToken({ access_token: jwt({ local_patient_id: '../x' }) })).toBeUndefined();
    expect(patientIdFromToken({ access_token: 'opaque' })).toBeUndefined();
  });

  it('may come with parameters for every search', () => {
    expect(searchParametersOfAccessToken(jwt({ ah_practice: 'a-1.Practice-195900' }))).toEqual({
      'ah-practice': 'Organization/a-1.Practice-195900',
    });
    for (const token of ['opaque', jwt({}), jwt({ ah_practice: 'a&b=c' }), jwt({ ah_practice: ['x'] })])
      expect(searchParametersOfAccessToken(token)).toEqual({});
  });
});
