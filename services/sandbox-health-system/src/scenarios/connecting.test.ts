import request from 'supertest';
import {
  authorizationQuery,
  exchangeForm,
  get,
  origin,
  pkce,
  refresh,
  signIn,
  startSandbox,
  tokensFor,
  type Running,
  type Tokens,
} from '../../test/smart-client';
import { scenarios } from './catalogue';

const elsewhere = 'http://elsewhere.example';
const claimsOf = (jwt: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
let running: Running;
beforeAll(async () => {
  running = await startSandbox({ SANDBOX_ELSEWHERE_URL: elsewhere });
});

const config = async (name: string) =>
  JSON.parse(
    (await get(running, `/s/${name}/fhir/r4/.well-known/smart-configuration`).expect(200)).body as string,
  ) as Record<string, string>;
const exchange = (name: string, form: Record<string, string>) =>
  request(running.app).post(`/s/${name}/oauth2/token`).type('form').send(form);

it('has names that go into a path and behind a username, each once, and lists them', async () => {
  const names = scenarios.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z0-9-]+$/);
  const answer = await request(running.app).get('/sandbox/scenarios').expect(200);
  expect((answer.body as { name: string }[]).map(({ name }) => name)).toEqual(names);
  await request(running.app).get('/s/no-such/fhir/r4/metadata').expect(404);
});

it.each([
  ['metadata-unauthorized', 401],
  ['metadata-broken', 500],
])('%s answers %i to requests for its CapabilityStatement, and has a smart-configuration', async (name, status) => {
  await get(running, `/s/${name}/fhir/r4/metadata`).expect(status);
  expect((await config(name))['token_endpoint']).toContain(`/s/${name}/oauth2/`);
});

const withoutCapabilities = ['well-known-only', 'metadata-broken', 'metadata-unauthorized'];

it.each(scenarios.map(({ name }) => name).filter((name) => !withoutCapabilities.includes(name)))(
  '%s can be discovered, and its token carries it',
  async (name) => {
    const answer = await get(running, `/s/${name}/fhir/r4/metadata`).expect(200);
    const { rest } = JSON.parse(answer.body as string) as {
      rest: { security: { extension: { extension: { url: string; valueUri: string }[] }[] } }[];
    };
    const urls = rest[0]!.security.extension[0]!.extension.map(({ valueUri }) => valueUri);
    expect(urls.every((url) => url.includes(`/s/${name}/oauth2/`) || name === 'token-endpoint-private-host')).toBe(
      true,
    );
  },
);

it('metadata-only hides the smart-configuration', async () => {
  await get(running, '/s/metadata-only/fhir/r4/.well-known/smart-configuration').expect(404);
});

it('oauth-other-origin has its endpoints at another host', async () => {
  expect(await config('oauth-other-origin')).toMatchObject({
    token_endpoint: `${elsewhere}/s/oauth-other-origin/oauth2/token`,
  });
});

it('trailing-slash and endpoint-parameters require the authorization endpoint byte for byte', async () => {
  expect((await config('trailing-slash'))['authorization_endpoint']).toBe(
    `${origin}/s/trailing-slash/oauth2/authorize/`,
  );
  const query = authorizationQuery({ hint: 'amelia-hart' }, pkce().challenge);
  await request(running.app).get('/s/trailing-slash/oauth2/authorize').query(query).expect(404);
  await request(running.app).get('/s/trailing-slash/oauth2/authorize/').query(query).expect(302);
  expect((await config('endpoint-parameters'))['authorization_endpoint']).toContain('?tenant=sandbox');
});

it.each([
  ['announces-basic-wants-post', 'post'],
  ['announces-post-wants-basic', 'basic'],
  ['omits-auth-methods', 'post'],
])('%s takes client_secret_%s alone', async (name, taken) => {
  const { code, verifier } = await signIn(running, { hint: 'amelia-hart', prefix: `/s/${name}` });
  const form = exchangeForm(code, verifier);
  const basic = () => exchange(name, form).auth('tributary', 'tributary-sandbox-secret');
  const post = () => exchange(name, { ...form, client_id: 'tributary', client_secret: 'tributary-sandbox-secret' });
  await (taken === 'post' ? basic() : post()).expect(401);
  await (taken === 'post' ? post() : basic()).expect(200);
});

it.each([
  ['basic-and-client-id', 400, 'invalid_request', 'client_id beside Basic'],
  ['post-only', 400, 'invalid_request', 'the form'],
  ['basic-401-invalid-request', 401, 'invalid_request', 'the form'],
  ['unauthorized-client-basic', 400, 'unauthorized_client', 'the form'],
])('%s refuses Basic with %i and %s, and takes %s', async (name, status, error, taken) => {
  const { code, verifier } = await signIn(running, { hint: 'amelia-hart', prefix: `/s/${name}` });
  const form = exchangeForm(code, verifier);
  const basic = (more: object) => exchange(name, { ...form, ...more }).auth('tributary', 'tributary-sandbox-secret');
  expect((await basic({}).expect(status)).body).toEqual({ error });
  await (
    taken === 'the form'
      ? exchange(name, { ...form, client_id: 'tributary', client_secret: 'tributary-sandbox-secret' })
      : basic({ client_id: 'tributary' })
  ).expect(200);
});

it('patient-url, patient-reference, patient-versioned, patient-several and fhir-user-versioned name the patient otherwise', async () => {
  const { patient } = await tokensFor(running, { hint: 'amelia-hart' });
  const base = `${origin}/fhir/r4`;
  const named = async (name: string): Promise<unknown> =>
    (await tokensFor(running, { hint: `amelia-hart+${name}` })).patient;
  expect(await named('patient-url')).toBe(`${base}/Patient/${patient}`);
  expect(await named('patient-reference')).toBe(`Patient/${patient}`);
  expect(await named('patient-versioned')).toBe(`${base}/Patient/${patient}/_history/3`);
  expect(await named('patient-several')).toEqual([patient, 'another']);
  const { id_token, ...others } = await tokensFor(running, { hint: 'amelia-hart+fhir-user-versioned' });
  expect(others.patient).toBeUndefined();
  expect(claimsOf(id_token!)['fhirUser']).toBe(`${base}/Patient/${patient}/_history/3`);
});

it('local-patient-id and ah-practice-required put claims into an access token that works', async () => {
  const { patient } = await tokensFor(running, { hint: 'amelia-hart' });
  const local = await tokensFor(running, { hint: 'amelia-hart+local-patient-id' });
  expect([local.patient, claimsOf(local.access_token)['local_patient_id']]).toEqual([undefined, patient]);
  await get(running, `/fhir/r4/Patient/${patient}`, local.access_token).expect(200);
  const { access_token } = await tokensFor(running, { hint: 'amelia-hart+ah-practice-required' });
  const search = `/fhir/r4/Observation?patient=${patient}`;
  await get(running, search, access_token).expect(400);
  const required = `ah-practice=Organization/${String(claimsOf(access_token)['ah_practice'])}`;
  await get(running, `${search}&${required.replace('/', '%2F')}`, access_token).expect(400);
  await get(running, `${search}&${required}`, access_token).expect(200);
});

it('token-500-once accepts the code the second time', async () => {
  const { code, verifier } = await signIn(running, { hint: 'amelia-hart+token-500-once' });
  for (const status of [500, 200])
    await request(running.app)
      .post('/oauth2/token')
      .auth('tributary', 'tributary-sandbox-secret')
      .type('form')
      .send(exchangeForm(code, verifier))
      .expect(status);
});

it('basic-undecoded takes Basic credentials that are not percent-encoded', async () => {
  const secret = 'odd+secret/with=all&of %them';
  const { code, verifier } = await signIn(running, { hint: 'amelia-hart+basic-undecoded', clientId: 'tributary-odd' });
  const call = (encoded: string) =>
    request(running.app)
      .post('/oauth2/token')
      .auth('tributary-odd', encoded)
      .type('form')
      .send(exchangeForm(code, verifier));
  await call(encodeURIComponent(secret)).expect(401);
  await call(secret).expect(200);
  const plain = await signIn(running, { hint: 'amelia-hart', clientId: 'tributary-odd' });
  await request(running.app)
    .post('/oauth2/token')
    .auth('tributary-odd', encodeURIComponent(secret))
    .type('form')
    .send(exchangeForm(plain.code, plain.verifier))
    .expect(200);
});

it('scopes-of-user grants Practitioners in the context of the user', async () => {
  const { scope, access_token: token } = await tokensFor(running, { hint: 'amelia-hart+scopes-of-user' });
  expect(scope.split(' ').filter((each) => each.includes('/'))).toEqual([
    'launch/patient',
    'patient/Patient.read',
    'patient/Observation.read',
    'patient/Condition.read',
    'patient/Encounter.read',
    'user/Practitioner.read',
  ]);
  await get(running, '/fhir/r4/Practitioner', token).expect(200);
  await get(running, '/fhir/r4/Observation', token).expect(200);
  await get(running, '/fhir/r4/Procedure', token).expect(403);
});

it('wildcard-refused, scopes-narrowed and offline-not-granted grant less', async () => {
  await expect(signIn(running, { hint: 'amelia-hart+wildcard-refused' })).rejects.toThrow('invalid_scope');
  await signIn(running, { hint: 'amelia-hart+wildcard-refused', scope: 'launch/patient patient/Observation.read' });
  const narrow = await tokensFor(running, { hint: 'amelia-hart+scopes-narrowed' });
  expect(narrow.scope).toContain('patient/Condition.read');
  await get(running, '/fhir/r4/Procedure', narrow.access_token).expect(403);
  expect((await tokensFor(running, { hint: 'amelia-hart+offline-not-granted' })).refresh_token).toBeUndefined();
});

it('well-known-only has its endpoints in the smart-configuration of every release', async () => {
  for (const release of ['dstu2', 'stu3', 'r4']) {
    const metadata = await get(running, `/s/well-known-only/fhir/${release}/metadata`).expect(200);
    expect(metadata.body).not.toContain('oauth-uris');
    await get(running, `/s/well-known-only/fhir/${release}/.well-known/smart-configuration`).expect(200);
  }
  await get(running, '/fhir/dstu2/.well-known/smart-configuration').expect(404);
});

/** The parameters of the authorization response for a sign-in. */
const authorized = async (scenario: string, scope?: string): Promise<Record<string, string>> => {
  const query = authorizationQuery({ hint: `amelia-hart+${scenario}`, ...(scope ? { scope } : {}) }, pkce().challenge);
  const answer = await request(running.app).get('/oauth2/authorize').query(query).expect(302);
  return Object.fromEntries(new URL(String(answer.headers['location'])).searchParams);
};

const launch = 'openid fhirUser launch/patient';
const laboratory =
  'patient/Observation.rs?category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory';
it.each([
  ['scopes-v2-silent', `${launch} patient/*.rs`, `${launch} patient/*.read`],
  ['scopes-v2-capability', `${launch} patient/Goal.rs`, `${launch} patient/Goal.read`],
  ['scopes-v2-cruds', `${launch} patient/*.rs`, `${launch} patient/*.*`],
  ['scopes-exact-match', `${launch} patient/*.cruds`, `${launch} patient/*.rs`],
  ['scopes-granular', `${launch} ${laboratory}`, `${launch} patient/Observation.rs`],
  ['scopes-announced-no-offline', `${launch} patient/*.read`, `${launch} offline_access patient/*.read`],
  ['scopes-registered-only', 'launch/patient openid patient/Observation.read', 'openid patient/*.read'],
])('%s accepts "%s", and refuses "%s"', async (name, accepted, refused) => {
  expect(await authorized(name, accepted)).toHaveProperty('code');
  expect(await authorized(name, refused)).toMatchObject({ error: 'invalid_scope', state: 'a state' });
});

it('announces the scopes of the scenarios', async () => {
  const announced = async (name: string): Promise<unknown[]> => {
    const { scopes_supported, capabilities } = (await config(name)) as unknown as Record<string, string[] | undefined>;
    return [scopes_supported?.at(-1), capabilities?.filter((each) => each.startsWith('permission-v'))];
  };
  expect(await announced('scopes-v2-silent')).toEqual([undefined, []]);
  expect(await announced('scopes-v2-capability')).toEqual([undefined, ['permission-v2']]);
  expect(await announced('scopes-v2-cruds')).toEqual(['patient/Observation.cruds', ['permission-v2']]);
  expect(await announced('scopes-announced-no-offline')).toEqual(['patient/*.read', []]);
});

it.each([
  ['denied-with-error-uri', { error: 'invalid_request', error_uri: expect.stringContaining('access-denied') }],
  ['client-unauthorized', { error: 'unauthorized_client' }],
  ['authorization-unavailable', { error: 'temporarily_unavailable' }],
])('%s ends the sign-in with %j', async (name, expected) => {
  expect(await authorized(name)).toEqual({ ...expected, state: 'a state' });
});

it('issuer-slash names its issuer with a slash', async () => {
  expect(await authorized('issuer-slash')).toMatchObject({ iss: `${origin}/`, code: expect.any(String) });
});

it('authorization-html shows a page of its own', async () => {
  const query = authorizationQuery({ hint: 'amelia-hart' }, pkce().challenge);
  const page = await request(running.app).get('/s/authorization-html/oauth2/authorize').query(query).expect(400);
  expect(page.headers['content-type']).toContain('text/html');
});

it('code-expired and token-unavailable refuse the code', async () => {
  for (const [name, status] of [
    ['code-expired', 400],
    ['token-unavailable', 500],
  ] as const) {
    const { code, verifier } = await signIn(running, { hint: `amelia-hart+${name}` });
    await request(running.app)
      .post('/oauth2/token')
      .auth('tributary', 'tributary-sandbox-secret')
      .type('form')
      .send(exchangeForm(code, verifier))
      .expect(status);
  }
});

it.each([
  ['patient-absent', undefined],
  ['user-practitioner', `${origin}/fhir/r4/Practitioner/amelia-hart`],
  ['user-related-person', `${origin}/fhir/r4/RelatedPerson/amelia-hart`],
])('%s names no patient', async (name, fhirUser) => {
  const { patient, id_token } = await tokensFor(running, { hint: `amelia-hart+${name}` });
  const [, claims = ''] = (id_token ?? '').split('.');
  expect(patient).toBeUndefined();
  expect((JSON.parse(Buffer.from(claims, 'base64url').toString()) as { fhirUser?: string }).fhirUser).toBe(fhirUser);
});

it('mother-and-child signs in the mother, and names the child', async () => {
  const { patient, id_token, access_token } = await tokensFor(running, { hint: 'amelia-hart+mother-and-child' });
  const [, claims = ''] = (id_token ?? '').split('.');
  const { fhirUser } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { fhirUser: string };
  expect(fhirUser).toBe(
    `${origin}/fhir/r4/Patient/mother-of-${patient}`.slice(0, `${origin}/fhir/r4/Patient/`.length + 64),
  );
  expect((await get(running, new URL(fhirUser).pathname, access_token).expect(200)).body).toContain('The mother');
  const found = (await get(running, '/fhir/r4/Encounter?_count=1000', access_token).expect(200)).body as string;
  expect([found.includes('"birth"'), found.includes('"delivery"')]).toEqual([true, false]);
});

describe('refresh tokens', () => {
  const grant = (name: string): Promise<Tokens> => tokensFor(running, { hint: `amelia-hart+${name}` });
  const refreshed = async (token: string): Promise<Tokens> =>
    (await refresh(running, token).expect(200)).body as Tokens;

  it('refresh-absent and refresh-same leave the old one in force', async () => {
    const absent = await grant('refresh-absent');
    expect((await refreshed(absent.refresh_token!)).refresh_token).toBeUndefined();
    await refreshed(absent.refresh_token!);
    const same = await grant('refresh-same');
    expect((await refreshed(same.refresh_token!)).refresh_token).toBe(same.refresh_token);
  });

  it('refresh-one-use ends the grant at a second use', async () => {
    const { refresh_token: first } = await grant('refresh-one-use');
    const second = await refreshed(first!);
    await refresh(running, first!).expect(400);
    await refresh(running, second.refresh_token!).expect(400);
    await get(running, '/fhir/r4/Patient', second.access_token).expect(401);
  });

  it('refresh-never gives none', async () => {
    expect((await grant('refresh-never')).refresh_token).toBeUndefined();
  });

  it.each([
    ['refresh-401-html', 401, undefined],
    ['refresh-400-invalid-request', 400, 'invalid_request'],
    ['refresh-403', 403, 'access_denied'],
  ])('%s refuses refreshes, and nothing else', async (name, status, error) => {
    const tokens = await grant(name);
    const refused = await refresh(running, tokens.refresh_token!).expect(status);
    expect((refused.body as { error?: string }).error).toBe(error);
    await get(running, '/fhir/r4/Patient', tokens.access_token).expect(200);
  });

  it('refresh-refused refuses each refresh, refresh-unavailable and refresh-throttled the first ones', async () => {
    expect((await refresh(running, (await grant('refresh-refused')).refresh_token!).expect(400)).body).toEqual({
      error: 'invalid_grant',
    });
    const { refresh_token: busy } = await grant('refresh-unavailable');
    for (const status of [503, 503, 200]) await refresh(running, busy!).expect(status);
    const throttled = await refreshed((await grant('refresh-throttled')).refresh_token!);
    expect((await refresh(running, throttled.refresh_token!).expect(429)).headers['retry-after']).toMatch(/^\d+$/);
    running.clock.now += 60_000;
    await refreshed(throttled.refresh_token!);
  });
});

it('access-token-9-minutes and access-token-5-seconds issue access tokens of these lifetimes', async () => {
  const nine = await tokensFor(running, { hint: 'amelia-hart+access-token-9-minutes' });
  expect(nine.expires_in).toBe(540);
  const five = await tokensFor(running, { hint: 'amelia-hart+access-token-5-seconds' });
  await get(running, '/fhir/r4/Patient', five.access_token).expect(200);
  running.clock.now += 5_001;
  await get(running, '/fhir/r4/Patient', five.access_token).expect(401);
});

it('token-endpoint-private-host announces a token endpoint at a private host', async () => {
  expect((await config('token-endpoint-private-host'))['token_endpoint']).toBe('http://169.254.169.254/oauth2/token');
});
