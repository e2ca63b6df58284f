import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface InternalRequest {
  method: string;
  path: string[];
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  content: Buffer;
  /** The content as text. */
  body: string;
}

export interface InternalResponse {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A JSON server in place of an internal service. While it is unavailable it answers 503. */
export class FakeInternalServer {
  #unavailableUntil = 0;

  private constructor(
    readonly url: string,
    readonly stop: () => Promise<void>,
    isUnavailable: (check: () => boolean) => void,
  ) {
    isUnavailable(() => Date.now() < this.#unavailableUntil);
  }

  static async start(
    respond: (request: InternalRequest) => InternalResponse | Promise<InternalResponse>,
  ): Promise<FakeInternalServer> {
    let isUnavailable = (): boolean => false;
    const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const url = new URL(request.url ?? '/', 'http://internal');
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      const content = Buffer.concat(parts);
      const received = {
        method: request.method ?? '',
        path: url.pathname.split('/').slice(3),
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        content,
        body: content.toString('utf8'),
      };
      const {
        status,
        body,
        headers = {},
      }: InternalResponse = isUnavailable()
        ? { status: 503, body: { success: false, error: 'unavailable', error_code: 'unavailable' } }
        : await respond(received);
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
    };
    const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
      handle(request, response).catch(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const stop = async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    };
    return new FakeInternalServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop, (check) => {
      isUnavailable = check;
    });
  }

  becomeUnavailable(ms: number): void {
    this.#unavailableUntil = Date.now() + ms;
  }
}
