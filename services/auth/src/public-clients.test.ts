import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type ClientOutcome, runClientProgram } from '@tributary/test-environment';
import { AuthUnderTest, anyUser } from '../test/auth-under-test';
import { type SigningKey, keySetOf, signingKey } from '../test/signing-client';
import type { ClientWithSecret } from './clients/client-applications';

/** OAuth clients from npm as their users install them. A failure here is a failure of an application. */
describe('public OAuth clients', () => {
  let server: Server;
  let issuer: string;
  let auth: AuthUnderTest;
  const keys = { ES384: signingKey('ES384'), RS384: signingKey('RS384') };
  let client: ClientWithSecret;
  beforeAll(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    auth = await AuthUnderTest.start({ authUrl: issuer });
    server.on('request', auth.publicApp);
    client = await auth.client('Diary', { jwks: keySetOf(keys.ES384, keys.RS384) });
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await auth.stop();
  });

  const run = (library: string, settings: object): Promise<ClientOutcome> =>
    runClientProgram(join(__dirname, '..', 'test', 'clients', `${library}.mjs`), {
      issuer,
      clientId: client.client_id,
      clientSecret: client.client_secret,
      ...settings,
    });
  const privateKey = ({ privateKey, kid, algorithm }: SigningKey) => ({
    jwk: privateKey.export({ format: 'jwk' }),
    kid,
    algorithm,
  });

  describe.each(['openid-client', 'oauth4webapi'])('%s', (library) => {
    it.each([
      { method: 'client_secret_basic', by: 'client_secret_basic', algorithm: undefined },
      { method: 'client_secret_post', by: 'client_secret_post', algorithm: undefined },
      { method: 'private_key_jwt', by: 'private_key_jwt and ES384', algorithm: 'ES384' },
      { method: 'private_key_jwt', by: 'private_key_jwt and RS384', algorithm: 'RS384' },
    ] as const)('exchanges, refreshes, introspects and revokes by $by', async ({ method, algorithm }) => {
      const user = anyUser();
      const { result, failure } = await run(library, {
        method,
        key: algorithm && privateKey(keys[algorithm]),
        code: await auth.code(client, user),
      });
      expect(failure).toBeUndefined();
      expect(result?.['first']).toMatchObject({ expires_in: 7200, scope: 'user' });
      expect(result?.['before']).toMatchObject({ active: true, sub: String(user), iss: issuer });
      expect(result?.['after']).toEqual({ active: false });
      expect(result?.['system']?.['scope']).toBe(algorithm && 'system/*.rs');
      expect((await auth.refresh(client, String(result?.['second']?.['refresh_token']))).body.error).toBe(
        'invalid_grant',
      );
    });

    it.each([
      ['client_secret_post', undefined, 'client_id or client_secret is wrong'],
      ['private_key_jwt', signingKey('ES384'), expect.stringMatching(/^client_assertion: .*registered key/)],
    ])('reports why a client that authenticates by %s is refused', async (method, key, error_description) => {
      const { failure } = await run(library, {
        method,
        clientSecret: 'wrong',
        key: key && privateKey(key),
        code: await auth.code(client, anyUser()),
      });
      expect(failure).toEqual({ name: 'ResponseBodyError', error: 'invalid_client', error_description });
    });
  });

  describe('simple-oauth2', () => {
    it.each([
      ['header', 'form'],
      ['header', 'json'],
      ['body', 'form'],
      ['body', 'json'],
    ])(
      'exchanges, refreshes and revokes with credentials in the %s and %s bodies',
      async (authorizationMethod, bodyFormat) => {
        const { result, failure } = await run('simple-oauth2', {
          authorizationMethod,
          bodyFormat,
          code: await auth.code(client, anyUser()),
          otherCode: await auth.code(client, anyUser()),
        });
        expect(failure).toBeUndefined();
        for (const name of ['second', 'refreshed']) {
          expect(await auth.isActive(String(result?.[name]?.['access_token']))).toBe(false);
          expect((await auth.refresh(client, String(result?.[name]?.['refresh_token']))).body.error).toBe(
            'invalid_grant',
          );
        }
      },
    );
  });
});
