import request from 'supertest';
import { AuthUnderTest, anyUser, credentials } from '../../test/auth-under-test';
import type { ClientWithSecret } from '../clients/client-applications';
import { tokenHash } from '../tokens/opaque-token';

describe('POST /oauth2/token', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    client = await auth.client();
  });
  afterAll(() => auth.stop());

  const token = /^[A-Za-z0-9_-]{43}$/;
  const refreshToken = /^[A-Za-z0-9_-]{64}$/;

  describe('grant_type=authorization_code', () => {
    it('returns the token response of the specification', async () => {
      const answer = await auth.exchange(client, await auth.code(client, 7));
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        access_token: expect.stringMatching(token),
        refresh_token: expect.stringMatching(refreshToken),
        token_type: 'Bearer',
        expires_in: 7200,
        scope: 'user',
      });
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
    });

    it.each([
      ['patient/*.rs', 'patient/*.rs'],
      ['patient/*.cruds', 'patient/*.cruds'],
      ['patient/*.rs patient/*.cruds patient/*.rs', 'patient/*.rs patient/*.cruds'],
      ['user', 'user'],
    ])('issues tokens of the scope %s, which a refresh keeps', async (scope, granted) => {
      const code = await auth.code(client, anyUser());
      const parameters = { ...credentials(client), grant_type: 'authorization_code', code, scope };
      const { body: tokens } = await auth.post('/oauth2/token', parameters);
      const { body: refreshed } = await auth.refresh(client, tokens.refresh_token);
      expect([tokens.scope, refreshed.scope]).toEqual([granted, granted]);
      for (const token of [tokens.access_token, refreshed.access_token, refreshed.refresh_token] as string[])
        expect((await auth.post('/oauth2/introspect', { ...credentials(client), token })).body.scope).toBe(granted);
    });

    it.each(['patient/*.read', 'patient/Observation.rs', 'system/*.rs', 'user ', 'openid patient/*.rs'])(
      'refuses the scope "%s", and leaves the code valid',
      async (scope) => {
        const code = await auth.code(client, anyUser());
        const parameters = { ...credentials(client), grant_type: 'authorization_code', code, scope };
        const answer = await auth.post('/oauth2/token', parameters);
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_scope']);
        expect((await auth.exchange(client, code)).status).toBe(200);
      },
    );

    it.each(['form', 'JSON'])('accepts HTTP Basic or credentials in the body, as %s', async (kind) => {
      for (const basic of [true, false]) {
        const parameters = {
          grant_type: 'authorization_code',
          code: await auth.code(client, anyUser()),
          ...(basic ? {} : credentials(client)),
        };
        let call = request(auth.publicApp)
          .post('/oauth2/token')
          .type(kind === 'form' ? 'form' : 'json');
        if (basic) call = call.auth(client.client_id, client.client_secret);
        expect((await call.send(parameters)).body).toMatchObject({ token_type: 'Bearer' });
      }
    });

    it('accepts a code once: a second use is refused and revokes the tokens of the first', async () => {
      const code = await auth.code(client, anyUser());
      const { body: tokens } = await auth.exchange(client, code);
      const { body: refreshed } = await auth.refresh(client, tokens.refresh_token);
      expect(await auth.isActive(tokens.access_token)).toBe(true);
      const again = await auth.exchange(client, code);
      expect([again.status, again.body.error, again.headers['cache-control']]).toEqual([
        400,
        'invalid_grant',
        'no-store',
      ]);
      expect(await Promise.all([tokens.access_token, refreshed.access_token].map((one) => auth.isActive(one)))).toEqual(
        [false, false],
      );
      expect((await auth.refresh(client, refreshed.refresh_token)).body.error).toBe('invalid_grant');
      expect((await auth.exchange(client, code)).body.error).toBe('invalid_grant');
    });

    it('lets one of many concurrent requests with a code succeed', async () => {
      const code = await auth.code(client, anyUser());
      const answers = await Promise.all(Array.from({ length: 12 }, (_x, i) => auth.exchange(client, code, i % 2)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(11);
    });

    it('refuses a code of another client, which stays valid', async () => {
      const other = await auth.client('Other');
      const code = await auth.code(client, anyUser());
      const stolen = await auth.exchange(other, code);
      expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant']);
      const { body: tokens } = await auth.exchange(client, code);
      expect((await auth.exchange(other, code)).body.error).toBe('invalid_grant');
      expect(await auth.isActive(tokens.access_token)).toBe(true);
    });

    it('accepts a code for ten minutes', async () => {
      const [late, inTime] = [await auth.code(client, anyUser()), await auth.code(client, anyUser())];
      const age = `UPDATE token_family SET code_expires_at = code_expires_at - $2 * interval '1 second' WHERE code_sha256 = $1`;
      await auth.pool.query(age, [tokenHash(late), 600]);
      await auth.pool.query(age, [tokenHash(inTime), 590]);
      expect((await auth.exchange(client, late)).body.error).toBe('invalid_grant');
      expect((await auth.exchange(client, inTime)).status).toBe(200);
    });

    it('refuses a code_verifier, and the code stays valid', async () => {
      const code = await auth.code(client, anyUser());
      const refused = await auth.post('/oauth2/token', {
        ...credentials(client),
        grant_type: 'authorization_code',
        code,
        code_verifier: 'v'.repeat(43),
      });
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
      expect(refused.body.error_description).toMatch(/^code_verifier: leave it out/);
      const withoutSecret = await auth.post('/oauth2/token', {
        client_id: client.client_id,
        grant_type: 'authorization_code',
        code,
        code_verifier: 'v'.repeat(43),
      });
      expect([withoutSecret.status, withoutSecret.body.error]).toEqual([401, 'invalid_client']);
      expect((await auth.exchange(client, code)).status).toBe(200);
    });

    it('ignores a redirect_uri and unknown parameters', async () => {
      const code = await auth.code(client, anyUser());
      const answer = await auth.post('/oauth2/token', {
        ...credentials(client),
        grant_type: 'authorization_code',
        code,
        redirect_uri: 'https://diary.example.org/back',
        resource: 'x',
      });
      expect(answer.status).toBe(200);
    });
  });

  describe('grant_type=refresh_token', () => {
    it('returns a new pair; the old access token stays valid', async () => {
      const first = await auth.tokens(client);
      const { body: second, status } = await auth.refresh(client, first.refresh_token);
      expect(status).toBe(200);
      expect(second).toEqual({
        access_token: expect.stringMatching(token),
        refresh_token: expect.stringMatching(refreshToken),
        token_type: 'Bearer',
        expires_in: 7200,
        scope: 'user',
      });
      expect(new Set([first.access_token, first.refresh_token, second.access_token, second.refresh_token]).size).toBe(
        4,
      );
      expect(await auth.isActive(first.access_token)).toBe(true);
      expect(await auth.isActive(second.access_token)).toBe(true);
    });

    it('revokes the family, and no other, when a replaced refresh token is used', async () => {
      const user = anyUser();
      const first = await auth.tokens(client, user);
      const bystander = await auth.tokens(client, user);
      const { body: second } = await auth.refresh(client, first.refresh_token);
      const { body: third } = await auth.refresh(client, second.refresh_token);
      const reuse = await auth.refresh(client, first.refresh_token);
      expect([reuse.status, reuse.body.error]).toEqual([400, 'invalid_grant']);
      for (const { access_token, refresh_token } of [first, second, third]) {
        expect(await auth.isActive(access_token)).toBe(false);
        expect((await auth.refresh(client, refresh_token)).body.error).toBe('invalid_grant');
      }
      expect(await auth.isActive(bystander.access_token)).toBe(true);
      expect((await auth.refresh(client, bystander.refresh_token)).status).toBe(200);
    });

    it('answers all concurrent requests on two replicas, and exactly one of the pairs works', async () => {
      for (let round = 0; round < 10; round++) {
        const { access_token, refresh_token } = await auth.tokens(client);
        const answers = await Promise.all(
          Array.from({ length: 1 + round * 2 }, (_x, i) => auth.refresh(client, refresh_token, i % 2)),
        );
        expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
        const alive: { access_token: string; refresh_token: string }[] = [];
        for (const { body } of answers) if (await auth.isActive(body.access_token)) alive.push(body);
        expect(alive).toHaveLength(1);
        expect(await auth.isActive(access_token)).toBe(true);
        expect((await auth.refresh(client, alive[0]!.refresh_token)).status).toBe(200);
      }
    });

    it('refuses a refresh token of another client, which stays valid', async () => {
      const other = await auth.client('Other');
      const { refresh_token, access_token } = await auth.tokens(client);
      expect((await auth.refresh(other, refresh_token)).body.error).toBe('invalid_grant');
      const { body: next } = await auth.refresh(client, refresh_token);
      expect((await auth.refresh(other, refresh_token)).body.error).toBe('invalid_grant');
      expect(await auth.isActive(access_token)).toBe(true);
      expect((await auth.refresh(client, next.refresh_token)).status).toBe(200);
    });

    it('accepts a refresh token for 30 days', async () => {
      const { refresh_token } = await auth.tokens(client);
      const { rows } = await auth.pool.query(
        `SELECT extract(epoch FROM expires_at - now()) / 86400 AS days FROM token_family WHERE refresh_sha256 = $1`,
        [tokenHash(refresh_token)],
      );
      expect(Number(rows[0]?.days)).toBeCloseTo(30, 2);
      await auth.pool.query(`UPDATE token_family SET expires_at = now() WHERE refresh_sha256 = $1`, [
        tokenHash(refresh_token),
      ]);
      expect((await auth.refresh(client, refresh_token)).body.error).toBe('invalid_grant');
    });

    it('grants the scope of the refresh token, and no more', async () => {
      const { refresh_token } = await auth.tokens(client);
      const parameters = { ...credentials(client), grant_type: 'refresh_token', refresh_token };
      expect((await auth.post('/oauth2/token', { ...parameters, scope: 'user system/*.read' })).body.error).toBe(
        'invalid_scope',
      );
      expect((await auth.post('/oauth2/token', { ...parameters, scope: 'user' })).body).toMatchObject({
        scope: 'user',
      });
    });

    it.each([
      ['user', 'patient/*.rs'],
      ['patient/*.rs', 'user'],
      ['patient/*.rs', 'patient/*.cruds'],
    ])('with the scope %s does not change it to %s', async (scope, requested) => {
      const code = await auth.code(client, anyUser());
      const exchange = { ...credentials(client), grant_type: 'authorization_code', code, scope };
      const { refresh_token } = (await auth.post('/oauth2/token', exchange)).body as { refresh_token: string };
      const refresh = { ...credentials(client), grant_type: 'refresh_token', refresh_token };
      expect((await auth.post('/oauth2/token', { ...refresh, scope: requested })).body.error).toBe('invalid_scope');
      expect((await auth.post('/oauth2/token', { ...refresh, scope })).body.scope).toBe(scope);
    });

    it('does not accept a code as refresh token, nor the reverse', async () => {
      const { refresh_token, access_token } = await auth.tokens(client);
      expect((await auth.exchange(client, refresh_token)).body.error).toBe('invalid_grant');
      expect((await auth.refresh(client, access_token)).body.error).toBe('invalid_grant');
      expect((await auth.refresh(client, await auth.code(client, anyUser()))).body.error).toBe('invalid_grant');
    });
  });

  describe('refuses', () => {
    it.each([
      ['no grant_type', {}, 400, 'invalid_request', 'grant_type'],
      ['an empty grant_type', { grant_type: '' }, 400, 'invalid_request', 'grant_type'],
      ['no code', { grant_type: 'authorization_code' }, 400, 'invalid_request', 'code is missing'],
      ['an empty code', { grant_type: 'authorization_code', code: '' }, 400, 'invalid_request', 'code is missing'],
      [
        'a code that is none',
        { grant_type: 'authorization_code', code: 'Zanzibar' },
        400,
        'invalid_grant',
        'code: it is unknown',
      ],
      [
        'a code beyond ASCII',
        { grant_type: 'authorization_code', code: 'Zanzibar\u0000ä' },
        400,
        'invalid_request',
        'code',
      ],
      ['no refresh_token', { grant_type: 'refresh_token' }, 400, 'invalid_request', 'refresh_token is missing'],
      [
        'a refresh_token that is none',
        { grant_type: 'refresh_token', refresh_token: 'Zanzibar' },
        400,
        'invalid_grant',
        'refresh_token: it is unknown',
      ],
      [
        'the password grant',
        { grant_type: 'password', username: 'Zanzibar', password: 'x' },
        400,
        'unsupported_grant_type',
        'grant_type',
      ],
      ['client_credentials', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type', 'grant_type'],
      ['a grant nobody knows', { grant_type: 'toString' }, 400, 'unsupported_grant_type', 'grant_type'],
    ])('%s', async (_case, parameters, status, error, named) => {
      const answer = await auth.post('/oauth2/token', { ...credentials(client), ...parameters });
      expect([answer.status, answer.body.error]).toEqual([status, error]);
      expect(answer.body.error_description).toContain(named);
      expect(answer.text).not.toContain('Zanzibar');
      expect(Object.keys(answer.body)).toEqual(['error', 'error_description']);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['x-request-id']).toBeDefined();
    });

    it('a parameter sent twice', async () => {
      const answer = await request(auth.publicApp)
        .post('/oauth2/token')
        .type('form')
        .send(
          `client_id=${client.client_id}&client_secret=${client.client_secret}&grant_type=authorization_code&code=a&code=b`,
        );
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: 'invalid_request', error_description: 'code is given twice' },
      ]);
    });

    it('credentials and parameters in the query', async () => {
      const query = new URLSearchParams({
        ...credentials(client),
        grant_type: 'authorization_code',
        code: await auth.code(client, anyUser()),
      });
      const answer = await request(auth.publicApp).post(`/oauth2/token?${query}`);
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    });

    it('bodies of other media types, malformed ones and those that are too large', async () => {
      const post = (type: string, body: string) =>
        request(auth.publicApp).post('/oauth2/token').set('Content-Type', type).send(body);
      for (const [type, body] of [
        ['text/plain', 'grant_type=x'],
        ['application/json', '{"grant_type": "Zanz'],
        ['application/json', '["grant_type"]'],
      ] as const) {
        const answer = await post(type, body);
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
        expect(answer.text).not.toContain('Zanz');
      }
      expect((await post('application/x-www-form-urlencoded', `code=${'x'.repeat(5_300_000)}`)).status).toBe(413);
    });

    it('other methods', async () => {
      const answer = await request(auth.publicApp).get('/oauth2/token');
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
    });
  });
});
