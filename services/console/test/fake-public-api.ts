import { once } from 'node:events';
import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { PublicApi } from '@tributary/outbound';

interface Asked {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** All public APIs in one server, each below a path of its own. */
export class FakePublicApi {
  readonly asked: Asked[] = [];
  answer: (asked: Asked) => { status?: number; headers?: Record<string, string>; body?: string } = () => ({});

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakePublicApi> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const { method, url, headers } = request;
        const asked = { method, url, headers, body };
        api.asked.push(asked);
        const { status = 200, headers: sent = {}, body: answer = '{"success":true}' } = api.answer(asked);
        response.writeHead(status, { 'Content-Type': 'application/json', ...sent }).end(answer);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const api = new FakePublicApi(server);
    return api;
  }

  below(path: string): PublicApi {
    const { port } = this.server.address() as AddressInfo;
    return new PublicApi(`http://127.0.0.1:${port}${path}`, () => undefined, 'a-test');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
