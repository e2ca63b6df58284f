import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { testCertificate } from '@tributary/test-environment';
import request from 'supertest';
import { Browser } from '../../test/browser';
import { type Person, admin, connectUrl, connectionsOf, newPerson } from '../../test/connect-flow';
import { workerCredentials } from '../../test/connection-scene';
import { type RunningForTest, runForTest } from '../../test/running-service';

// No test can reach a public address: one address of this machine counts as public, and its certificate is trusted.
jest.mock('@tributary/outbound', () => {
  const actual = jest.requireActual<typeof import('@tributary/outbound')>('@tributary/outbound');
  const { testCertificate: certificateOf } =
    jest.requireActual<typeof import('@tributary/test-environment')>('@tributary/test-environment');
  class GuardedHttp extends actual.GuardedHttp {
    constructor(options: ConstructorParameters<typeof actual.GuardedHttp>[0]) {
      const isPublicAddress = (address: string) => address === '127.0.0.2' || actual.isPublicAddress(address);
      super({ ...options, isPublicAddress, ca: certificateOf('127.0.0.2').cert });
    }
  }
  return { ...actual, GuardedHttp };
});

const publicAddress = '127.0.0.2';
const baseUrl = 'https://tributary.test';

describe('outside the sandbox mode', () => {
  let service: RunningForTest;
  let person: Person;
  /** Has the public address. */
  let system: Server;
  let origin: string;
  /** The SMART configuration or the redirect with which it responds. */
  let discovery: { authorization_endpoint: string; token_endpoint: string } | { redirect: string };
  let requests: string[];
  /** Has a private address, and counts connections. */
  let inner: Server;
  let reached = 0;
  let inward: string[];

  beforeAll(async () => {
    const secure = createServer(testCertificate(publicAddress), (asked, response) => {
      requests.push(`${asked.method} ${asked.url}`);
      if (asked.url === '/token')
        return void response.setHeader('Content-Type', 'application/json').end(
          JSON.stringify({
            access_token: 'a',
            refresh_token: 'r',
            token_type: 'bearer',
            expires_in: 3600,
            patient: 'p1',
            scope: 'patient/*.read',
          }),
        );
      if ('redirect' in discovery) return void response.writeHead(302, { Location: discovery.redirect }).end();
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(discovery));
    });
    system = secure.listen(0, publicAddress);
    inner = createHttpServer((_asked, response) => response.end('{}')).listen(0, '127.0.0.1');
    inner.on('connection', () => reached++);
    await Promise.all([once(system, 'listening'), once(inner, 'listening')]);
    origin = `https://${publicAddress}:${(system.address() as AddressInfo).port}`;
    const { port } = inner.address() as AddressInfo;
    inward = [
      `http://127.0.0.1:${port}`,
      `https://127.0.0.1:${port}`,
      `https://localhost:${port}`,
      `https://[::ffff:127.0.0.1]:${port}`,
      origin.replace('https:', 'http:'),
    ];
    service = await runForTest({ SANDBOX_MODE: 'false', BASE_URL: baseUrl });
    for (const address of [origin, ...inward])
      await admin(
        service,
        'registration',
        'set',
        '--host',
        new URL(address).host,
        '--client-id',
        'our-client',
        '--auth-method',
        'none',
      );
  });
  beforeEach(async () => {
    discovery = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
    requests = [];
    person = await newPerson(service);
  });
  afterAll(async () => {
    await service.stop();
    for (const server of [system, inner]) server.close();
  });

  const browser = (): Browser => new Browser(service.app, baseUrl);
  /** @returns the URL of the last redirect */
  const connect = (fhirBaseUrl: string): Promise<URL> => {
    const id = service.directory.add([{ fhirVersion: 'r4', fhir_base_url: fhirBaseUrl }]);
    return browser().follow(connectUrl(person, id).replace(/^http:/, 'https:'), []);
  };
  /** A new FHIR base, as discovery is cached per base. */
  let bases = 0;
  const newBase = (): string => `${origin}/fhir/${++bases}`;
  const refused = { success: 'false', error: 'system_unavailable' };
  const outcome = (url: URL): Record<string, string> => Object.fromEntries(url.searchParams);

  /** Connects; the test responds in place of the health system's sign-in page. */
  async function connected(): Promise<void> {
    const id = service.directory.add([{ fhirVersion: 'r4', fhir_base_url: `${origin}/fhir` }]);
    const visitor = browser();
    const signIn = await visitor.follow(connectUrl(person, id).replace(/^http:/, 'https:'), []);
    expect(signIn.origin).toBe(origin);
    const end = await visitor.follow(
      `${baseUrl}/connect/callback?code=c&state=${signIn.searchParams.get('state')}`,
      [],
    );
    expect(outcome(end)).toMatchObject({ success: 'true' });
  }

  it('connects to a health system on a public address', async () => {
    await connected();
    expect(requests).toEqual(['GET /fhir/.well-known/smart-configuration', 'POST /token', 'GET /fhir/Patient/p1']);
    expect(await connectionsOf(service, person)).toHaveLength(1);
  });

  it('sends no request to a health system on a private address or on http', async () => {
    for (const address of inward)
      expect([address, outcome(await connect(`${address}/fhir`))]).toMatchObject([address, refused]);
    expect([reached, requests]).toEqual([0, []]);
  });

  it('follows no redirect to a private address', async () => {
    for (const address of inward) {
      discovery = { redirect: `${address}/fhir/.well-known/smart-configuration` };
      expect([address, outcome(await connect(newBase()))]).toMatchObject([address, refused]);
    }
    expect(reached).toBe(0);
  });

  it('accepts no discovered endpoint on a private address', async () => {
    for (const address of inward) {
      for (const endpoint of ['authorization_endpoint', 'token_endpoint']) {
        discovery = {
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          [endpoint]: `${address}/inner`,
        };
        expect([address, endpoint, outcome(await connect(newBase()))]).toMatchObject([address, endpoint, refused]);
      }
    }
    expect(reached).toBe(0);
    expect(await connectionsOf(service, person)).toEqual([]);
  });

  it('sends no refresh token to an endpoint whose address has become private', async () => {
    await connected();
    const [row] = (await service.sql('SELECT connection_id, grant_id FROM connection WHERE service_user_id = $1', [
      person.serviceUserId,
    ])) as { connection_id: string; grant_id: string }[];
    for (const address of inward) {
      await service.sql('UPDATE health_system_grant SET token_endpoint = $2, expires_at = now() WHERE grant_id = $1', [
        row?.grant_id,
        `${address}/token`,
      ]);
      const response = await request(service.internal)
        .post(`/internal/v1/connections/${row?.connection_id}/access-token`)
        .set('Authorization', workerCredentials)
        .send({});
      expect([address, response.status]).toEqual([address, 503]);
    }
    expect([reached, requests.filter((asked) => asked === 'POST /token')]).toEqual([0, ['POST /token']]);
  });
});
