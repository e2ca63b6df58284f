import { createPublicKey, verify } from 'node:crypto';
import type { Request } from 'express';
import request from 'supertest';
import {
  type ConnectedSystem,
  type Person,
  admin,
  baseUrl,
  connect,
  newHealthSystem,
  newPerson,
} from '../../test/connect-flow';
import { type RunningForTest, runForTest } from '../../test/running-service';

const secret = 'p%ss: wörd/+~';

describe('our client at a token endpoint', () => {
  let service: RunningForTest;
  let person: Person;
  let at: ConnectedSystem;
  beforeAll(async () => {
    service = await runForTest();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    person = await newPerson(service);
  });
  afterEach(() => at.system.close());

  const basic = ({ headers }: Request): string[] =>
    Buffer.from(/^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '', 'base64')
      .toString()
      .split(/:(.*)/s)
      .slice(0, 2);
  const decoded = (text: string): string => new URLSearchParams(`x=${text}`).get('x') ?? '';
  const inForm = ({ body }: Request): boolean =>
    (body as Record<string, string>)['client_id'] === 'our-client' &&
    (body as Record<string, string>)['client_secret'] === secret;
  const succeeds = async (): Promise<void> => {
    expect((await connect(service, person, at)).searchParams.get('success')).toBe('true');
  };
  const remembered = async (): Promise<unknown> =>
    (
      await service.sql('SELECT client_authentication_method FROM health_system_grant WHERE service_user_id = $1', [
        person.serviceUserId,
      ])
    )[0]?.['client_authentication_method'];

  it('authenticates by Basic with percent-encoding', async () => {
    at = await newHealthSystem(service, ['r4'], ['--auth-method', 'client_secret_basic', '--client-secret', secret]);
    at.system.behaviour.knowsClient = (it) => basic(it).map(decoded).join() === `our-client,${secret}`;
    await succeeds();
    expect(at.system.tokenRequests).toHaveLength(1);
  });

  it('falls back to Basic without encoding where the health system does not decode, and tries it first from then on', async () => {
    at = await newHealthSystem(service, ['r4'], ['--auth-method', 'client_secret_basic', '--client-secret', secret]);
    at.system.behaviour.knowsClient = (it) => basic(it).join() === `our-client,${secret}`;
    await succeeds();
    expect(at.system.tokenRequests).toHaveLength(2);
    expect(await remembered()).toBe('client_secret_basic_unencoded');
  });

  it('falls back from Basic to the form, and from the form to Basic', async () => {
    at = await newHealthSystem(service, ['r4'], ['--auth-method', 'client_secret_basic', '--client-secret', 'simple']);
    at.system.behaviour.knowsClient = ({ body }) => (body as Record<string, string>)['client_secret'] === 'simple';
    await succeeds();
    expect(at.system.tokenRequests).toHaveLength(2);
    await at.system.close();
    at = await newHealthSystem(service, ['r4'], ['--auth-method', 'client_secret_post', '--client-secret', 'simple']);
    at.system.behaviour.knowsClient = (it) => basic(it).join() === 'our-client,simple';
    await succeeds();
  });

  it.each([
    [401, 'invalid_request'],
    [401, undefined],
    [400, 'invalid_request'],
    [400, 'unauthorized_client'],
    [400, 'invalid_client'],
  ])('tries the next method after %i and %s', async (status, error) => {
    at = await newHealthSystem(service, ['r4'], ['--auth-method', 'client_secret_basic', '--client-secret', 'simple']);
    at.system.behaviour.token = ({ headers }, response) => {
      if (!headers.authorization) return false;
      response.status(status).send(error ? { error } : '<html>no</html>');
      return true;
    };
    await succeeds();
    expect(at.system.tokenRequests).toHaveLength(2);
    expect(await remembered()).toBe('client_secret_post');
  });

  it('tries no other method after invalid_grant', async () => {
    at = await newHealthSystem(service, ['r4'], ['--auth-method', 'client_secret_basic', '--client-secret', 'simple']);
    at.system.behaviour.token = (_it, response) => Boolean(response.status(401).json({ error: 'invalid_grant' }));
    expect((await connect(service, person, at)).searchParams.get('success')).toBe('false');
    expect(at.system.tokenRequests).toHaveLength(1);
  });

  it('sends client_id in the form beside Basic', async () => {
    at = await newHealthSystem(service, ['r4'], ['--auth-method', 'client_secret_basic', '--client-secret', 'simple']);
    at.system.behaviour.knowsClient = (it) =>
      basic(it).join() === 'our-client,simple' && (it.body as Record<string, string>)['client_id'] === 'our-client';
    await succeeds();
    expect(at.system.tokenRequests).toHaveLength(1);
    expect(at.system.tokenRequests[0]).not.toHaveProperty('client_secret');
  });

  it('tries the announced method first, and then the registered one', async () => {
    for (const isTrue of [true, false]) {
      at = await newHealthSystem(
        service,
        ['r4'],
        ['--auth-method', 'client_secret_basic', '--client-secret', 'simple'],
      );
      at.system.behaviour.smart = { token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_post'] };
      at.system.behaviour.knowsClient = ({ headers }) => (headers.authorization === undefined) === isTrue;
      await succeeds();
      expect(at.system.tokenRequests.map((form) => 'client_secret' in form)).toEqual(isTrue ? [true] : [true, false]);
      if (isTrue) await at.system.close();
    }
  });

  it('authenticates by the form', async () => {
    at = await newHealthSystem(service, ['r4'], ['--auth-method', 'client_secret_post', '--client-secret', secret]);
    at.system.behaviour.knowsClient = inForm;
    await succeeds();
    expect(at.system.tokenRequests).toHaveLength(1);
  });

  describe('with a key', () => {
    const checks =
      (algorithm: string) =>
      async ({ body }: Request): Promise<boolean> => {
        const form = body as Record<string, string>;
        const [header = '', claims = '', signature = ''] = (form['client_assertion'] ?? '').split('.');
        const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string; kid: string };
        const { iss, sub, aud, exp, jti } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
          string,
          unknown
        >;
        const { keys } = (await request(service.app).get('/connect/jwks.json')).body as {
          keys: ({ kid: string } & Record<string, string>)[];
        };
        const key = createPublicKey({ key: keys.find((candidate) => candidate.kid === kid) ?? {}, format: 'jwk' });
        const good = verify(
          'sha384',
          Buffer.from(`${header}.${claims}`),
          { key, dsaEncoding: 'ieee-p1363' },
          Buffer.from(signature, 'base64url'),
        );
        return (
          good &&
          alg === algorithm &&
          iss === 'our-client' &&
          sub === 'our-client' &&
          aud === `${at.system.url}/token` &&
          Number(exp) > Date.now() / 1000 &&
          typeof jti === 'string' &&
          form['client_assertion_type'] === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' &&
          form['client_id'] === 'our-client'
        );
      };
    const checkedAs = (algorithm: string): void => {
      at.system.behaviour.token = (it, response) => {
        void checks(algorithm)(it).then((good) => {
          if (good) response.json({ access_token: 'a', refresh_token: 'r', patient: 'p', token_type: 'Bearer' });
          else response.status(401).json({ error: 'invalid_client' });
        });
        return true;
      };
    };

    it('signs with RS384', async () => {
      at = await newHealthSystem(service, ['r4'], ['--auth-method', 'private_key_jwt']);
      checkedAs('RS384');
      await succeeds();
      expect(at.system.tokenRequests).toHaveLength(1);
    });

    it('signs with ES384 where it is announced, or where RS384 is rejected', async () => {
      at = await newHealthSystem(service, ['r4'], ['--auth-method', 'private_key_jwt']);
      checkedAs('ES384');
      await succeeds();
      expect(at.system.tokenRequests).toHaveLength(2);
      await at.system.close();
      at = await newHealthSystem(service, ['r4'], ['--auth-method', 'private_key_jwt']);
      checkedAs('ES384');
      at.system.behaviour.smart = { token_endpoint_auth_signing_alg_values_supported: ['ES384'] };
      await succeeds();
      expect(at.system.tokenRequests).toHaveLength(1);
      expect(await remembered()).toBe('private_key_jwt_es384');
    });

    it('publishes its public keys without private parts', async () => {
      at = await newHealthSystem(service);
      const response = await request(service.app).get('/connect/jwks.json');
      const { keys } = response.body as { keys: Record<string, string>[] };
      expect(keys.map(({ alg, use, kty }) => [alg, use, kty]).sort()).toEqual([
        ['ES384', 'sig', 'EC'],
        ['RS384', 'sig', 'RSA'],
      ]);
      for (const key of keys) expect(Object.keys(key)).not.toContain('d');
      await admin(service, 'signing-keys', 'rotate');
      const rotated = (await request(service.app).get('/connect/jwks.json')).body as { keys: Record<string, string>[] };
      expect(rotated.keys.map(({ kid }) => kid)).toEqual(expect.arrayContaining(keys.map(({ kid }) => kid)));
      expect(rotated.keys).toHaveLength(4);
    });
  });

  it('is registered by the operator, at one health system or a whole host', async () => {
    at = await newHealthSystem(service, ['r4']);
    await admin(
      service,
      'registration',
      'set',
      '--fhir-base',
      `${at.system.url}/fhir/r4/`,
      '--client-id',
      'special',
      '--auth-method',
      'none',
      '--scopes',
      'launch/patient patient/Patient.read',
    );
    at.system.behaviour.knowsClient = ({ body }) => (body as Record<string, string>)['client_id'] === 'special';
    await succeeds();
    expect(at.system.authorizations[0]).toMatchObject({
      client_id: 'special',
      scope: 'launch/patient patient/Patient.read',
    });
    const listed = JSON.parse(await admin(service, 'registration', 'list', '--json')) as { entry: object[] };
    expect(listed.entry).toContainEqual({
      fhir_base: `${at.system.url}/fhir/r4`,
      client_id: 'special',
      auth_method: 'none',
      redirect_uri: `${baseUrl}/connect/callback`,
      scopes: 'launch/patient patient/Patient.read',
    });
    expect(await admin(service, 'registration', 'list')).toContain('special  none');
    await admin(service, 'registration', 'remove', '--fhir-base', `${at.system.url}/fhir/r4`);
    at.system.behaviour.knowsClient = ({ body }) => (body as Record<string, string>)['client_id'] === 'our-client';
    await succeeds();
  });

  it.each([
    [
      'a method that needs a secret without one',
      ['--host', 'x.org', '--client-id', 'c', '--auth-method', 'client_secret_basic'],
      'needs a client secret',
    ],
    [
      'a secret for a method that takes none',
      ['--host', 'x.org', '--client-id', 'c', '--auth-method', 'none', '--client-secret', 's'],
      'takes no client secret',
    ],
    ['no target', ['--client-id', 'c', '--auth-method', 'none'], 'either --fhir-base or --host'],
    ['a host that is none', ['--host', 'https://x.org', '--client-id', 'c', '--auth-method', 'none'], '--host must be'],
  ])('cannot be registered with %s', async (_what, words, message) => {
    at = await newHealthSystem(service);
    await expect(admin(service, 'registration', 'set', ...words)).rejects.toThrow(message);
  });

  it('keeps its secrets and private keys sealed', async () => {
    at = await newHealthSystem(
      service,
      ['r4'],
      ['--auth-method', 'client_secret_post', '--client-secret', 'recognizable-secret'],
    );
    const rows = JSON.stringify(
      await service.sql(
        'SELECT (SELECT json_agg(r) FROM registration r) AS r, (SELECT json_agg(k) FROM signing_key k) AS k',
      ),
    );
    expect(rows).not.toContain(Buffer.from('recognizable-secret').toString('hex'));
    expect(rows).not.toContain('recognizable-secret');
  });
});
