import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Respond = (response: ServerResponse, path: string) => void;

const patient = { resourceType: 'Patient', id: 'p1' };

/** Sends a JSON response. */
export function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(body));
}

export function searchset(resources: readonly object[], next?: string): object {
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    link: next ? [{ relation: 'next', url: next }] : [],
    entry: resources.map((resource) => ({ resource })),
  };
}

/** A health system with one patient. The test decides how searches for Observations are answered. */
export class FakeHealthSystem {
  /** Requests for Observations in progress. */
  open = 0;
  /** All requests for Observations. */
  requests = 0;

  private constructor(
    private readonly server: Server,
    readonly base: string,
  ) {}

  static async start(observations: Respond): Promise<FakeHealthSystem> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const system = new FakeHealthSystem(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/fhir`);
    server.on('request', (request, response: ServerResponse) => {
      const path = request.url ?? '/';
      if (path.startsWith('/fhir/metadata')) return json(response, capabilities);
      if (path.startsWith('/fhir/Patient/p1')) return json(response, patient);
      system.requests++;
      system.open++;
      response.once('close', () => system.open--);
      return observations(response, path);
    });
    return system;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const capabilities = {
  resourceType: 'CapabilityStatement',
  rest: [
    { resource: [{ type: 'Observation', interaction: [{ code: 'search-type' }], searchParam: [{ name: 'patient' }] }] },
  ],
};

/** The token response of its token endpoint. */
export const tokens = { access_token: 'an access token', expires_in: 36_000, scope: 'patient/*.read', patient: 'p1' };
