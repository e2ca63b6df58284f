import { once } from 'node:events';
import { type Server, createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificate } from '@tributary/test-environment';

/** A loopback address that the test declares public. */
const publicAddress = '127.0.0.2';

const patient = { resourceType: 'Patient', id: 'p1' };
const types = ['Condition', 'DocumentReference'];

/** Responses that differ from the default, by path. */
export type ResponseOverrides = Record<string, { redirect?: string; next?: string; entries?: object[] }>;

/** A health system with https on an address that counts as public. */
export class FakePublicHealthSystem {
  overrides: ResponseOverrides = {};
  requests: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly origin: string,
  ) {}

  static async start(): Promise<FakePublicHealthSystem> {
    const server = createServer(testCertificate(publicAddress)).listen(0, publicAddress);
    await once(server, 'listening');
    const system = new FakePublicHealthSystem(
      server as unknown as Server,
      `https://${publicAddress}:${(server.address() as AddressInfo).port}`,
    );
    server.on('request', (request, response) => {
      const { pathname } = new URL(request.url ?? '/', system.origin);
      system.requests.push(pathname);
      const { redirect } = system.overrides[pathname] ?? {};
      if (redirect) response.writeHead(302, { Location: redirect }).end();
      else
        response
          .writeHead(200, { 'Content-Type': 'application/fhir+json' })
          .end(JSON.stringify(system.#body(pathname)));
    });
    return system;
  }

  get base(): string {
    return `${this.origin}/fhir`;
  }

  stop(): Promise<void> {
    return stopped(this.server);
  }

  #body(path: string): object {
    if (path === '/fhir/metadata')
      return {
        resourceType: 'CapabilityStatement',
        rest: [
          {
            resource: types.map((type) => ({
              type,
              interaction: [{ code: 'search-type' }],
              searchParam: [{ name: 'patient' }],
            })),
          },
        ],
      };
    if (path === '/fhir/Patient/p1') return patient;
    const { next, entries = [] } = this.overrides[path] ?? {};
    return {
      resourceType: 'Bundle',
      type: 'searchset',
      link: next ? [{ relation: 'next', url: next }] : [],
      entry: entries.map((resource) => ({ resource })),
    };
  }
}

/** A server on a private address, which must never be reached. Counts TCP connections. */
export class InnerServer {
  connections = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(): Promise<InnerServer> {
    const server = createHttpServer((_request, response) => response.end('secret')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const inner = new InnerServer(server, (server.address() as AddressInfo).port);
    server.on('connection', () => inner.connections++);
    return inner;
  }

  stop(): Promise<void> {
    return stopped(this.server);
  }
}

async function stopped(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
