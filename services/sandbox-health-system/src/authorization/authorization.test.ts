import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  verify,
  type JsonWebKey,
} from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import request from 'supertest';
import { scenarios } from '../scenarios/catalogue';
import { worksFromSignIn } from '../scenarios/scenario';
import {
  authorizationQuery,
  callback,
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

let running: Running;
beforeAll(async () => {
  running = await startSandbox();
});

const authorize = (query: Record<string, string>) => request(running.app).get('/oauth2/authorize').query(query);
const sent = (location: unknown) => new URL(String(location)).searchParams;

describe('an authorization request', () => {
  it('is shown a page, not sent anywhere, when the client or its redirect_uri is unknown', async () => {
    const query = authorizationQuery({ hint: 'amelia-hart' }, pkce().challenge);
    for (const wrong of [{ client_id: 'nobody' }, { redirect_uri: 'http://evil.example/' }]) {
      const answer = await authorize({ ...query, ...wrong }).expect(400);
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    }
  });

  it.each([
    ['aud', 'https://elsewhere.example/fhir/r4', 'invalid_request'],
    ['aud', `${origin}/fhir/r5`, 'invalid_request'],
    ['code_challenge_method', 'plain', 'invalid_request'],
    ['code_challenge', '', 'invalid_request'],
    ['response_type', 'token', 'unsupported_response_type'],
    ['scope', 'everything', 'invalid_scope'],
    ['login_hint', 'nobody', 'login_required'],
    ['login_hint', 'amelia-hart+no-such-scenario', 'login_required'],
  ])('with %s = %s is refused at the client', async (name, value, error) => {
    const answer = await authorize({
      ...authorizationQuery({ hint: 'amelia-hart' }, pkce().challenge),
      [name]: value,
    }).expect(302);
    expect(String(answer.headers['location'])).toContain(callback);
    expect(sent(answer.headers['location']).get('error')).toBe(error);
    expect(sent(answer.headers['location']).get('state')).toBe('a state');
  });

  it('goes through sign-in and consent in the browser', async () => {
    const { verifier, challenge } = pkce();
    const query = { ...authorizationQuery({ hint: '' }, challenge), prompt: '' };
    const signInPage = await authorize(query).expect(200);
    expect(signInPage.text).toContain('amelia-hart');
    const transaction = (html: string) => /name="transaction" value="([^"]+)"/.exec(html)![1]!;
    const post = (path: string, form: Record<string, string>) =>
      request(running.app).post(path).type('form').send(form);
    const wrong = await post('/oauth2/authorize/sign-in', {
      transaction: transaction(signInPage.text),
      username: 'amelia-hart',
      password: 'wrong',
    }).expect(401);
    const consent = await post('/oauth2/authorize/sign-in', {
      transaction: transaction(wrong.text),
      username: 'amelia-hart',
      password: 'sandbox',
    }).expect(200);
    expect(consent.text).toContain('See everything in your health record');

    const refused = await post('/oauth2/authorize/decision', {
      transaction: transaction(consent.text),
      decision: 'deny',
    }).expect(302);
    expect(sent(refused.headers['location']).get('error')).toBe('access_denied');
    const allowed = await post('/oauth2/authorize/decision', {
      transaction: transaction(consent.text),
      decision: 'allow',
    }).expect(303);
    const code = sent(allowed.headers['location']).get('code')!;
    await request(running.app)
      .post('/oauth2/token')
      .auth('tributary', 'tributary-sandbox-secret')
      .type('form')
      .send(exchangeForm(code, verifier))
      .expect(200);
  });

  it.each([
    ['the scope offline_access', undefined, '', 'The access has no end date.'],
    ['no scope offline_access', 'openid launch/patient patient/*.read', '', 'The access ends after 1 hour.'],
    ['online_access', 'launch/patient online_access patient/*.read', '', 'The access ends after 1 hour.'],
    ['a health system without refresh tokens', undefined, 'refresh-never', 'The access ends after 30 seconds.'],
    ['a refused offline_access', undefined, 'offline-not-granted', 'The access ends after 1 hour.'],
    ['a short life of access tokens', undefined, 'access-token-5-seconds', 'The access has no end date.'],
  ])('says on the consent page for how long access lasts with %s', async (_what, scope, scenario, expected) => {
    const query = { ...authorizationQuery({ hint: '', ...(scope ? { scope } : {}) }, pkce().challenge), prompt: '' };
    const page = await authorize(query).expect(200);
    const consent = await request(running.app)
      .post('/oauth2/authorize/sign-in')
      .type('form')
      .send({
        transaction: /name="transaction" value="([^"]+)"/.exec(page.text)![1]!,
        username: 'amelia-hart',
        password: 'sandbox',
        scenario,
      })
      .expect(200);
    expect(/<strong>(The access [^<]*)<\/strong>/.exec(consent.text)?.[1]).toBe(expected);
    expect(consent.text).not.toContain('offline_access');
  });

  const signInPage = async (query: Record<string, string> = {}): Promise<string> =>
    (await authorize({ ...authorizationQuery({ hint: '' }, pkce().challenge), prompt: '', ...query }).expect(200)).text;

  /** The scenarios of a page, with their areas. */
  const offeredIn = (text: string): string[] =>
    [...text.matchAll(/<fieldset aria-label="([^"]+)">(.*?)<\/fieldset>/gs)].flatMap(([, area = '', choices = '']) =>
      [...choices.matchAll(/name="scenario" value="([^"]+)"/g)].map(([, name]) => `${area}: ${name}`),
    );

  it('offers every scenario that works from the sign-in once, grouped by area', async () => {
    const text = await signInPage();
    const working = scenarios.filter(worksFromSignIn);
    expect(offeredIn(text).toSorted()).toEqual(working.map(({ name, area }) => `${area}: ${name}`).toSorted());
    expect(working.map(({ name }) => name)).not.toContain('well-known-only');
    expect(working.map(({ name }) => name)).toContain('everything');
    const labels = [...text.matchAll(/<fieldset aria-label="([^"]+)"/g)].map(([, label]) => label);
    expect(labels).toEqual([...new Set(labels)]);
    expect(labels).toContain('Paging');
  });

  it.each([
    ['token expires', 'Tokens: access-token-5-seconds', 'Throttling: retry-after-date'],
    ['Type REFUSED', 'Refused requests: type-forbidden', 'Tokens: code-expired'],
    ['loops', 'Paging: next-loop', 'Paging: next-relative'],
    ['429 <nothing>', 'Throttling: retry-after-absent', 'Paging: next-loop'],
  ])('offers the scenarios that fit the search "%s", and signs in from there', async (find, expected, other) => {
    const transaction = /name="transaction" value="([^"]+)"/.exec(await signInPage())![1]!;
    const { text } = await request(running.app)
      .get('/oauth2/authorize/sign-in')
      .query({ transaction, find, username: 'amelia-hart' })
      .expect(200);
    expect(offeredIn(text)).toContain(expected);
    expect(offeredIn(text)).not.toContain(other);
    expect(text).toContain(`${offeredIn(text).length} found.`);
    expect(text).not.toContain('<nothing>');
    expect(text).toContain('<form class="card" method="post" action="sign-in">');
    expect(text).toMatch(/id="username"[^>]* value="amelia-hart"/);
  });

  it('says that nothing fits a search, and refuses one without a sign-in in progress', async () => {
    const transaction = /name="transaction" value="([^"]+)"/.exec(await signInPage())![1]!;
    const found = await request(running.app)
      .get('/oauth2/authorize/sign-in')
      .query({ transaction, find: 'xyzzy' })
      .expect(200);
    expect(found.text).toContain('Nothing fits.');
    expect(offeredIn(found.text)).toEqual([]);
    await request(running.app).get('/oauth2/authorize/sign-in').query({ find: 'token' }).expect(400);
  });

  it('keeps the username and the scenario after a wrong password', async () => {
    const transaction = /name="transaction" value="([^"]+)"/.exec(await signInPage())![1]!;
    const { text } = await request(running.app)
      .post('/oauth2/authorize/sign-in')
      .type('form')
      .send({ transaction, username: 'amelia-hart', password: 'wrong', scenario: 'slow' })
      .expect(401);
    expect(text).toMatch(/id="username"[^>]* value="amelia-hart"/);
    expect([...text.matchAll(/value="([^"]*)" checked/g)].map(([, name]) => name)).toEqual(['slow']);
  });

  it.each([
    ['tributary', 'Tributary'],
    ['nameless', 'nameless'],
    ['named', 'A &#38; &#60;B&#62;'],
  ])('names the client %s by its name, or its id without one', async (clientId, name) => {
    const clients = [
      { client_id: 'nameless', redirect_uris: [callback] },
      { client_id: 'named', client_name: 'A & <B>', redirect_uris: [callback] },
    ];
    const { app } = await startSandbox({ SANDBOX_CLIENTS: JSON.stringify(clients) });
    const scope = 'launch/patient patient/Observation.rs patient/Condition.read patient/ImagingStudy.read';
    const query = { ...authorizationQuery({ hint: '', clientId, scope }, pkce().challenge), prompt: '' };
    const page = await request(app).get('/oauth2/authorize').query(query).expect(200);
    expect(page.text).toContain(`<bdi>${name}</bdi> asks to read it.`);
    const transaction = /name="transaction" value="([^"]+)"/.exec(page.text)![1]!;
    const { text } = await request(app)
      .post('/oauth2/authorize/sign-in')
      .type('form')
      .send({ transaction, username: 'amelia-hart', password: 'sandbox' })
      .expect(200);
    expect(text).toContain(`<h1><bdi>${name}</bdi> asks for your health record</h1>`);
    expect([...text.matchAll(/<li>(.*?)<\/li>/g)].map(([, shared]) => shared)).toEqual([
      'Know which record is yours',
      'See your lab results and vital signs',
      'See your health problems',
      'See your imaging study entries',
    ]);
  });

  it('cannot reach the decision without a sign-in', async () => {
    const page = await authorize({ ...authorizationQuery({ hint: '' }, pkce().challenge), prompt: '' });
    const transaction = /name="transaction" value="([^"]+)"/.exec(page.text)![1]!;
    await request(running.app)
      .post('/oauth2/authorize/decision')
      .type('form')
      .send({ transaction, decision: 'allow' })
      .expect(400);
    await request(running.app)
      .post('/oauth2/authorize/decision')
      .type('form')
      .send({ transaction: 'forged.one', decision: 'allow' })
      .expect(400);
  });
});

describe('the token endpoint', () => {
  const exchange = (form: Record<string, string>) => request(running.app).post('/oauth2/token').type('form').send(form);

  it('gives patient, scope, refresh token and a signed id_token', async () => {
    const tokens = await tokensFor(running, { hint: 'amelia-hart', nonce: 'n-1' });
    expect(tokens).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid fhirUser launch/patient offline_access patient/*.read',
    });
    const { keys } = (await request(running.app).get('/oauth2/jwks').expect(200)).body as { keys: JsonWebKey[] };
    const [header, claims, signature] = tokens.id_token!.split('.') as [string, string, string];
    const key = createPublicKey({ key: keys[0]!, format: 'jwk' });
    expect(verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: origin,
      aud: 'tributary',
      nonce: 'n-1',
      fhirUser: `${origin}/fhir/r4/Patient/${tokens.patient}`,
    });
  });

  it('takes Basic, post and public clients, and refuses the wrong secret', async () => {
    const basic = await signIn(running, { hint: 'amelia-hart' });
    await exchange(exchangeForm(basic.code, basic.verifier)).auth('tributary', 'wrong').expect(401);
    const post = await signIn(running, { hint: 'amelia-hart' });
    await exchange({
      ...exchangeForm(post.code, post.verifier),
      client_id: 'tributary',
      client_secret: 'tributary-sandbox-secret',
    }).expect(200);
    const confidential = await signIn(running, { hint: 'amelia-hart' });
    await exchange({ ...exchangeForm(confidential.code, confidential.verifier), client_id: 'tributary' }).expect(401);
    const open = await signIn(running, { hint: 'amelia-hart', clientId: 'tributary-public' });
    await exchange({ ...exchangeForm(open.code, open.verifier), client_id: 'tributary-public' }).expect(200);
  });

  it.each(['inline', 'by address'])('takes private_key_jwt once per assertion, with keys %s', async (where) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] };
    const keys = createServer((_request, response) => void response.end(JSON.stringify(jwks)));
    await new Promise<void>((listening) => keys.listen(0, '127.0.0.1', listening));
    const published =
      where === 'inline' ? { jwks } : { jwks_uri: `http://127.0.0.1:${(keys.address() as AddressInfo).port}/jwks` };
    const client = {
      client_id: 'keyed',
      token_endpoint_auth_method: 'private_key_jwt',
      redirect_uris: [callback],
      ...published,
    };
    const own = await startSandbox({ SANDBOX_CLIENTS: JSON.stringify([client]) });
    const assertion = (aud: string): string => {
      const claims = { iss: 'keyed', sub: 'keyed', aud, exp: Math.floor(Date.now() / 1000) + 200, jti: randomUUID() };
      const input = [{ alg: 'ES384', kid: 'k1' }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      return `${input}.${sign('sha384', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    };
    const call = async (client_assertion: string) => {
      const { code, verifier } = await signIn(own, { hint: 'amelia-hart', clientId: 'keyed' });
      const form = {
        ...exchangeForm(code, verifier),
        client_assertion,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      };
      return request(own.app).post('/oauth2/token').type('form').send(form);
    };
    const good = assertion(`${origin}/oauth2/token`);
    expect((await call(good)).status).toBe(200);
    expect((await call(good)).status).toBe(401);
    expect((await call(assertion('https://elsewhere.example/token'))).status).toBe(401);
    expect((await call(`${assertion(`${origin}/oauth2/token`).slice(0, -8)}AAAAAAAA`)).status).toBe(401);
    await new Promise((closed) => keys.close(closed));
  });

  it('lets a code be used once, by the holder of the verifier; a second use ends the grant', async () => {
    const { code, verifier } = await signIn(running, { hint: 'amelia-hart' });
    await exchange({ ...exchangeForm(code, 'a'.repeat(43)) })
      .auth('tributary', 'tributary-sandbox-secret')
      .expect(400);
    const tokens = (
      await exchange(exchangeForm(code, verifier)).auth('tributary', 'tributary-sandbox-secret').expect(200)
    ).body as Tokens;
    await get(running, '/fhir/r4/Patient', tokens.access_token).expect(200);
    const again = await exchange(exchangeForm(code, verifier))
      .auth('tributary', 'tributary-sandbox-secret')
      .expect(400);
    expect(again.body).toMatchObject({ error: 'invalid_grant' });
    await get(running, '/fhir/r4/Patient', tokens.access_token).expect(401);
  });

  it('rotates refresh tokens: the old one ends at once, and of two at the same time one wins', async () => {
    const tokens = await tokensFor(running, { hint: 'amelia-hart' });
    const both = await Promise.all([refresh(running, tokens.refresh_token!), refresh(running, tokens.refresh_token!)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    const winner = both.find(({ status }) => status === 200)!.body as Tokens;
    await refresh(running, winner.refresh_token!).expect(200);
  });

  it('gives no refresh token without offline_access, and leaves out scopes that it does not know', async () => {
    const tokens = await tokensFor(running, {
      hint: 'amelia-hart',
      scope: 'launch/patient patient/Observation.rs user/*.write',
    });
    expect(tokens.refresh_token).toBeUndefined();
    expect(tokens.scope).toBe('launch/patient patient/Observation.rs');
    await get(running, '/fhir/r4/Observation', tokens.access_token).expect(200);
    await get(running, '/fhir/r4/Condition', tokens.access_token).expect(403);
  });

  it('issues tokens that outlive a restart of the sandbox, and die in time', async () => {
    const tokens = await tokensFor(running, { hint: 'amelia-hart' });
    const restarted = await startSandbox();
    await get(restarted, '/fhir/r4/Patient', tokens.access_token).expect(200);
    await refresh(restarted, tokens.refresh_token!).expect(200);
    restarted.clock.now += 3_601_000;
    await get(restarted, '/fhir/r4/Patient', tokens.access_token).expect(401);
  });

  it('revokes', async () => {
    const tokens = await tokensFor(running, { hint: 'amelia-hart' });
    await get(running, '/fhir/r4/Patient', tokens.access_token).expect(200);
    await request(running.app)
      .post('/oauth2/revoke')
      .auth('tributary', 'tributary-sandbox-secret')
      .type('form')
      .send({ token: tokens.access_token })
      .expect(200);
    await get(running, '/fhir/r4/Patient', tokens.access_token).expect(401);
  });
});

it('allows its style sheet by hash', async () => {
  const page = await authorize({ ...authorizationQuery({ hint: '' }, pkce().challenge), prompt: '' });
  const style = /<style>([\s\S]*)<\/style>/.exec(page.text)![1]!;
  expect(page.headers['content-security-policy']).toContain(createHash('sha256').update(style).digest('base64'));
});
