import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface InternalRequest {
  method: string;
  path: string[];
  query: Record<string, string>;
  body: string;
}

export interface InternalAnswer {
  status: number;
  body: unknown;
}

/** A tiny server that speaks JSON, for one of our own services. While it is away it answers 503. */
export class InternalServer {
  #awayUntil = 0;

  private constructor(
    readonly url: string,
    readonly stop: () => Promise<void>,
    isAway: (check: () => boolean) => void,
  ) {
    isAway(() => Date.now() < this.#awayUntil);
  }

  static async start(
    answer: (request: InternalRequest) => InternalAnswer | Promise<InternalAnswer>,
  ): Promise<InternalServer> {
    let isAway = (): boolean => false;
    const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const url = new URL(request.url ?? '/', 'http://internal');
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      const asked = {
        method: request.method ?? '',
        path: url.pathname.split('/').slice(3),
        query: Object.fromEntries(url.searchParams),
        body: Buffer.concat(parts).toString('utf8'),
      };
      const { status, body } = isAway()
        ? { status: 503, body: { success: false, error: 'away', error_code: 'unavailable' } }
        : await answer(asked);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    const server = createServer((request, response) => {
      handle(request, response).catch(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const stop = async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    };
    return new InternalServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop, (check) => {
      isAway = check;
    });
  }

  goAway(ms: number): void {
    this.#awayUntil = Date.now() + ms;
  }
}
