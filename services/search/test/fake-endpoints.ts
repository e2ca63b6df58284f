import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server with FHIR endpoints by the first segment of their path, which records the requests to it. */
export class FakeEndpoints {
  readonly requests: string[] = [];
  /** The most requests that were in progress at the same time. */
  peak = 0;
  #active = 0;
  readonly #server: Server;

  constructor(readonly endpoints: Record<string, Handler>) {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '';
      this.requests.push(path);
      this.peak = Math.max(this.peak, ++this.#active);
      response.once('close', () => this.#active--);
      const handler = this.endpoints[path.split('/')[1] ?? ''];
      if (handler) handler(request, response);
      else response.writeHead(404).end();
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The FHIR base URL of an endpoint. */
  url(name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** An endpoint with a CapabilityStatement, and with a SMART configuration if capabilities are given. */
export function fhirEndpoint(statement: object, capabilities?: string[]): Handler {
  return (request, response) => {
    if (request.url?.endsWith('/metadata')) json(response, { resourceType: 'CapabilityStatement', ...statement });
    else if (capabilities && request.url?.endsWith('/.well-known/smart-configuration'))
      json(response, {
        authorization_endpoint: 'https://ehr.example.org/authorize',
        token_endpoint: 'https://ehr.example.org/token',
        capabilities,
      });
    else response.writeHead(404).end();
  };
}
