import { once } from 'node:events';
import { type Server, createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificate } from '@tributary/test-environment';

/** Taken for a public address by tests that say so. */
export const publicAddress = '127.0.0.2';

const patient = { resourceType: 'Patient', id: 'p1' };
const types = ['Condition', 'DocumentReference'];

/** What the health system answers to a request for a path instead of the plain answer. */
export type Instead = Record<string, { redirect?: string; next?: string; entries?: object[] }>;

/** A tiny health system on https, as if on the public internet. */
export class PublicHealthSystem {
  instead: Instead = {};
  requests: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly origin: string,
  ) {}

  static async start(): Promise<PublicHealthSystem> {
    const server = createServer(testCertificate(publicAddress)).listen(0, publicAddress);
    await once(server, 'listening');
    const system = new PublicHealthSystem(
      server as unknown as Server,
      `https://${publicAddress}:${(server.address() as AddressInfo).port}`,
    );
    server.on('request', (request, response) => {
      const { pathname } = new URL(request.url ?? '/', system.origin);
      system.requests.push(pathname);
      const { redirect } = system.instead[pathname] ?? {};
      if (redirect) response.writeHead(302, { Location: redirect }).end();
      else
        response
          .writeHead(200, { 'Content-Type': 'application/fhir+json' })
          .end(JSON.stringify(system.#answer(pathname)));
    });
    return system;
  }

  get base(): string {
    return `${this.origin}/fhir`;
  }

  stop(): Promise<void> {
    return stopped(this.server);
  }

  #answer(path: string): object {
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
    const { next, entries = [] } = this.instead[path] ?? {};
    return {
      resourceType: 'Bundle',
      type: 'searchset',
      link: next ? [{ relation: 'next', url: next }] : [],
      entry: entries.map((resource) => ({ resource })),
    };
  }
}

/** A server in the inner network that nobody may reach: counts whoever connects, before a byte is sent. */
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
