import { type ConnectionForCollection, type FhirVersion, accessToType, resourceScopesOf } from '@tributary/contracts';
import request from 'supertest';
import { type Person, admin, connectionsOf, newPerson } from '../../test/connect-flow';
import { workerCredentials } from '../../test/connection-scene';
import { type TestServer, listen } from '../../test/http-server';
import { type RunningForTest, runForTest } from '../../test/running-service';
import { type Sandbox, startSandbox } from '../../test/sandbox';

/** No scenario may lead to more, whatever the health system answers. */
const maxTokenRequests = 20;

describe('connecting to the sandbox with the scenario', () => {
  let service: RunningForTest;
  let sandbox: Sandbox;
  let person: Person;
  let ownServer: TestServer;
  /** The id of the patient at the sandbox, as the connections of the plain sandbox name it. */
  const patientIds = new Map<FhirVersion, string>();

  /** The patient whose record the worker collects. */
  const patientOf = async (connectionId: string): Promise<string> => {
    const response = await request(service.internal)
      .get(`/internal/v1/connections/${connectionId}`)
      .set('Authorization', workerCredentials);
    return (response.body as ConnectionForCollection).patient_id;
  };

  const tokenRequests = async (): Promise<number> => {
    const counts = await Promise.all(['authorization_code', 'refresh_token'].map(sandbox.tokenRequests));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  beforeAll(async () => {
    service = await runForTest();
    ownServer = await listen(service.app);
    sandbox = await startSandbox(service, { SANDBOX_JWKS_URI: `${ownServer.url}/connect/jwks.json` });
    const someone = await newPerson(service);
    await sandbox.connect(someone, '', ['r4', 'dstu2']);
    for (const { fhirVersion, connection_id } of await connectionsOf(service, someone))
      patientIds.set(fhirVersion, await patientOf(connection_id));
    expect([...patientIds.values()]).toEqual([expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/^[\w-]+$/)]);
  });
  afterAll(async () => {
    await sandbox?.close();
    await ownServer.close();
    await service.stop();
  });
  beforeEach(async () => {
    person = await newPerson(service);
  });

  const observationOf = (scopes: readonly string[]): unknown => {
    const { search, parameters } = accessToType(resourceScopesOf(scopes.join(' ')), 'Observation');
    return search && (parameters.length > 0 ? parameters.map((each) => each.get('category')?.split('|')[1]) : 'all');
  };

  it.each<[string, { refreshable?: boolean; observations?: unknown; releases?: ('dstu2' | 'r4')[]; patient?: string }]>(
    [
      ['', {}],
      ['metadata-only', {}],
      ['well-known-only', { releases: ['r4', 'dstu2'] }],
      ['issuer-slash', {}],
      ['oauth-other-origin', {}],
      ['trailing-slash', {}],
      ['endpoint-parameters', {}],
      ['announces-basic-wants-post', {}],
      ['announces-post-wants-basic', {}],
      ['omits-auth-methods', {}],
      ['basic-and-client-id', {}],
      ['post-only', {}],
      ['basic-401-invalid-request', {}],
      ['unauthorized-client-basic', {}],
      ['token-500-once', {}],
      ['metadata-unauthorized', {}],
      ['metadata-broken', {}],
      ['bearer-lowercase', {}],
      ['expires-in-text', {}],
      ['expires-in-absent', {}],
      ['patient-id-negative', { patient: '-20140000008325' }],
      ['patient-url', {}],
      ['patient-reference', {}],
      ['patient-versioned', {}],
      ['fhir-user-versioned', {}],
      ['local-patient-id', {}],
      ['mother-and-child', {}],
      ['ah-practice-required', {}],
      ['vendor-epic', {}],
      ['vendor-athena', {}],
      ['vendor-oracle', {}],
      ['wildcard-refused', {}],
      ['offline-not-granted', { refreshable: false }],
      ['scopes-v2-silent', {}],
      ['scopes-v2-capability', {}],
      ['scopes-v2-cruds', {}],
      ['scopes-exact-match', {}],
      ['scopes-granular', { observations: ['laboratory', 'vital-signs'] }],
      ['scopes-granted-granular', { observations: ['laboratory', 'vital-signs'] }],
      ['scopes-announced-no-offline', { refreshable: false }],
      ['scopes-offline-refused', { refreshable: false }],
      ['scopes-narrowed', {}],
      ['patient-absent', {}],
      ['scopes-of-user', {}],
    ],
  )('"%s" succeeds', async (scenario, { refreshable = true, observations = 'all', releases = ['r4'], patient }) => {
    const before = await tokenRequests();
    const end = await sandbox.connect(person, scenario, releases);
    const connections = await connectionsOf(service, person);
    expect([end.searchParams.get('success'), end.searchParams.get('error')]).toEqual(['true', null]);
    expect(end.searchParams.getAll('connection_id').sort()).toEqual(
      connections.map(({ connection_id }) => connection_id).sort(),
    );
    expect(connections.map(({ fhirVersion }) => fhirVersion).sort()).toEqual([...releases].sort());
    for (const connection of connections) {
      expect(connection.refreshable).toBe(refreshable);
      expect(observationOf(connection.granted_scopes)).toEqual(observations);
      expect(await patientOf(connection.connection_id)).toBe(patient ?? patientIds.get(connection.fhirVersion));
    }
    expect((await tokenRequests()) - before).toBeLessThanOrEqual(maxTokenRequests);
  });

  it.each([
    ['scopes-registered-only', 'invalid_scope'],
    ['denied-with-error-uri', 'access_denied'],
    ['client-unauthorized', 'not_registered'],
    ['authorization-unavailable', 'system_unavailable'],
    ['code-expired', 'expired'],
    ['token-unavailable', 'system_unavailable'],
    ['token-html', 'system_unavailable'],
    ['user-practitioner', 'no_patient'],
    ['patient-several', 'no_patient'],
    ['user-related-person', 'no_patient'],
  ])('%s ends with %s', async (scenario, error) => {
    const before = await tokenRequests();
    const end = await sandbox.connect(person, scenario);
    expect((await tokenRequests()) - before).toBeLessThanOrEqual(maxTokenRequests);
    expect(Object.fromEntries(end.searchParams)).toMatchObject({ success: 'false', error });
    expect(await connectionsOf(service, person)).toEqual([]);
  });

  it('vendor-athena has its searches limited to the practice of the last authorization', async () => {
    const practice = async (): Promise<unknown> => {
      expect((await sandbox.connect(person, 'vendor-athena')).searchParams.get('success')).toBe('true');
      const grants = await service.sql('SELECT search_parameters FROM health_system_grant WHERE service_user_id = $1', [
        person.serviceUserId,
      ]);
      expect(grants).toEqual([{ search_parameters: { 'ah-practice': expect.stringMatching(/^Organization\/a-1\./) } }]);
      return grants[0]?.['search_parameters'];
    };
    const first = await practice();
    expect(await practice()).not.toEqual(first);
    expect(await connectionsOf(service, person)).toHaveLength(1);
  });

  it('scopes-registered-only succeeds with the registered scopes', async () => {
    await sandbox.register('--scopes', 'launch/patient openid patient/Patient.read patient/Observation.read');
    const end = await sandbox.connect(person, 'scopes-registered-only');
    await sandbox.register();
    expect(end.searchParams.get('success')).toBe('true');
    expect((await connectionsOf(service, person))[0]?.granted_scopes).toEqual([
      'launch/patient',
      'openid',
      'patient/Patient.read',
      'patient/Observation.read',
    ]);
  });

  it('assertion-and-client-id succeeds with a client that signs assertions', async () => {
    const words = `registration set --host ${sandbox.host} --client-id tributary-jwt --auth-method private_key_jwt`;
    await admin(service, ...words.split(' '));
    const end = await sandbox.connect(person, 'assertion-and-client-id');
    await sandbox.register();
    expect(end.searchParams.get('success')).toBe('true');
  });

  it('basic-undecoded succeeds with a secret that percent-encoding changes', async () => {
    const registration = `registration set --host ${sandbox.host} --client-id tributary-odd --auth-method client_secret_basic`;
    await admin(service, ...registration.split(' '), '--client-secret', 'odd+secret/with=all&of %them');
    const end = await sandbox.connect(person, 'basic-undecoded');
    await sandbox.register();
    expect(end.searchParams.get('success')).toBe('true');
  });

  it('authorization-html leaves the user there; the app can begin anew at once', async () => {
    await expect(sandbox.connect(person, 'authorization-html')).rejects.toThrow('the redirects ended at');
    const end = await sandbox.connect(person, 'issuer-slash');
    expect(end.searchParams.get('success')).toBe('true');
    expect(await connectionsOf(service, person)).toHaveLength(1);
  });
});
