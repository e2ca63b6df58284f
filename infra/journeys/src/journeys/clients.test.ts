import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ClientOutcome, runClientProgram } from '@tributary/test-environment';
import { bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type ClientKey, clientKey, registerKeys } from '../suite/system-tokens';
import { type ClientCredentials, collected, connect, newAppUserId, newClient, newUser } from '../suite/users';

const ready = readySuite();
const releases = ['dstu2', 'stu3', 'r4'] as const;
const services = join(__dirname, '..', '..', '..', '..', 'services');
const fhirPrograms = join(services, 'fhir-store', 'test', 'conformance', 'clients');

/** What the programs of fhir-store print. */
const answers = JSON.parse(readFileSync(join(fhirPrograms, 'answers.json'), 'utf8')) as {
  'read-and-write': Record<(typeof releases)[number], { 'fhir-kit-client': object }>;
  'store-files': object;
};

/** Runs a program with FHIR clients, and returns what it prints. */
async function fhirProgram(name: string, ...words: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(fhirPrograms, `${name}.mjs`), ...words], {
    maxBuffer: 64_000_000,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  return JSON.parse(stdout);
}

/** Client libraries from npm as their users install them. A failure here is a failure of an application. */
describe('unmodified OAuth clients', () => {
  const keys = { ES384: clientKey('ES384'), RS384: clientKey('RS384') };
  let client: ClientCredentials;
  beforeAll(async () => {
    client = await newClient(ready, 'OAuth clients journey');
    await registerKeys(client.client_id, keys.ES384, keys.RS384);
  });

  const run = (library: string, settings: object): Promise<ClientOutcome> =>
    runClientProgram(join(services, 'auth', 'test', 'clients', `${library}.mjs`), {
      clientId: client.client_id,
      clientSecret: client.client_secret,
      ...settings,
    });
  const privateKey = ({ privateKey, kid, algorithm }: ClientKey) => ({
    jwk: privateKey.export({ format: 'jwk' }),
    kid,
    algorithm,
  });
  const newCode = async (): Promise<{ userId: number; code: string }> => {
    const { json } = await http('POST', `${ready.base_url}/user-management/v1/user`, {
      headers: { ...client },
      form: { app_user_id: newAppUserId() },
    });
    return { userId: json.number('service_user_id'), code: json.text('code') };
  };
  const expectRevoked = async (tokens: Record<string, unknown> | undefined): Promise<void> => {
    const { access_token, refresh_token } = tokens as { access_token: string; refresh_token: string };
    const used = await http('GET', `${ready.base_url}/r4/Patient`, { headers: bearer(access_token) });
    const refreshed = await http('POST', `${ready.auth_url}/oauth2/token`, {
      form: { ...client, grant_type: 'refresh_token', refresh_token },
    });
    expect([used.status, refreshed.status, refreshed.json.at('error')]).toEqual([401, 400, 'invalid_grant']);
  };

  describe.each(['openid-client', 'oauth4webapi'])('%s', (library) => {
    it.each([
      { method: 'client_secret_basic', by: 'client_secret_basic', algorithm: undefined },
      { method: 'client_secret_post', by: 'client_secret_post', algorithm: undefined },
      { method: 'private_key_jwt', by: 'private_key_jwt and ES384', algorithm: 'ES384' },
      { method: 'private_key_jwt', by: 'private_key_jwt and RS384', algorithm: 'RS384' },
    ] as const)('exchanges, refreshes, introspects and revokes by $by', async ({ method, algorithm }) => {
      const { userId, code } = await newCode();
      const { result, failure } = await run(library, {
        issuer: ready.auth_url,
        method,
        key: algorithm && privateKey(keys[algorithm]),
        code,
      });
      expect(failure).toBeUndefined();
      expect(result?.['first']).toMatchObject({ expires_in: 7200, scope: 'user' });
      expect(result?.['before']).toMatchObject({ active: true, sub: String(userId), iss: ready.auth_url });
      expect(result?.['after']).toEqual({ active: false });
      expect(result?.['system']?.['scope']).toBe(algorithm && 'system/*.rs');
      await expectRevoked(result?.['second']);
    });

    it('reports why a client with a wrong secret is refused', async () => {
      const { code } = await newCode();
      const settings = { issuer: ready.auth_url, method: 'client_secret_post', clientSecret: 'wrong', code };
      expect((await run(library, settings)).failure).toEqual({
        name: 'ResponseBodyError',
        error: 'invalid_client',
        error_description: 'client_id or client_secret is wrong',
      });
    });
  });

  it.each(releases)('oauth4webapi finds the authorization server of the %s base by its metadata', async (release) => {
    const resource = `${ready.base_url}/${release}`;
    const { code } = await newCode();
    const { result, failure } = await run('oauth4webapi', { resource, method: 'client_secret_basic', code });
    expect(failure).toBeUndefined();
    expect(result?.['protectedResource']).toMatchObject({ resource, authorization_servers: [ready.auth_url] });
    expect(result?.['used']).toEqual({ status: 200 });
    expect(result?.['after']).toEqual({ active: false });
  });

  it.each([
    ['header', 'form'],
    ['header', 'json'],
    ['body', 'form'],
    ['body', 'json'],
  ])(
    'simple-oauth2 exchanges, refreshes and revokes with credentials in the %s and %s bodies',
    async (authorizationMethod, bodyFormat) => {
      const [{ code }, { code: otherCode }] = await Promise.all([newCode(), newCode()]);
      const settings = { issuer: ready.auth_url, authorizationMethod, bodyFormat, code, otherCode };
      const { result, failure } = await run('simple-oauth2', settings);
      expect(failure).toBeUndefined();
      for (const name of ['second', 'refreshed']) await expectRevoked(result?.[name]);
    },
  );
});

describe('unmodified FHIR clients', () => {
  let client: ClientCredentials;
  beforeAll(async () => {
    client = await newClient(ready, 'FHIR clients journey');
  });

  it.each(releases)('read, write and page back in %s', async (release) => {
    const { access_token } = await newUser(ready, client);
    const answer = answers['read-and-write'][release];
    expect(await fhirProgram('read-and-write', `${ready.base_url}/${release}`, access_token)).toEqual({
      ...answer,
      'fhir-kit-client': { ...answer['fhir-kit-client'], tokenUrl: `${ready.auth_url}/oauth2/token` },
    });
  });

  it('store files as Binary resources and download them', async () => {
    const { access_token } = await newUser(ready, client);
    expect(await fhirProgram('store-files', `${ready.base_url}/r4`, access_token)).toEqual(answers['store-files']);
  });

  it('page through a collected record of each release', async () => {
    const user = await newUser(ready, client);
    await connect(ready, user, 'amelia-hart');
    const found = (await collected(ready, user)).map((connection) => connection.text('fhirVersion'));
    expect(found.toSorted()).toEqual(releases.toSorted());
    const types = ['Observation', 'Condition', 'Encounter', 'Patient'];
    for (const release of releases) {
      const base = `${ready.base_url}/${release}`;
      const totals: number[] = [];
      for (const type of types) {
        const counted = await http('GET', `${base}/${type}?_summary=count`, { headers: bearer(user.access_token) });
        totals.push(counted.json.number('total'));
      }
      // More than one page.
      expect([release, totals[0]! > 40]).toEqual([release, true]);
      const ids = (await fhirProgram('page-through', base, user.access_token, '40', ...types)) as Record<
        string,
        Record<string, string[]>
      >;
      for (const library of ['fhir-kit-client', 'fhirclient'])
        expect([release, library, types.map((type) => new Set(ids[library]?.[type]).size)]).toEqual([
          release,
          library,
          totals,
        ]);
      expect(types.map((type) => ids['fhirclient']?.[type]?.toSorted())).toEqual(
        types.map((type) => ids['fhir-kit-client']?.[type]?.toSorted()),
      );
    }
  });
});
