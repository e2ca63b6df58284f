import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import type { ChaosSuite } from '../suite/chaos-suite';
import type { ClientCredentials } from './users';

const event = z.object({ type: z.string(), data: z.object({ connection_id: z.string().optional() }) });

/** Receives the webhooks of a client. */
export class WebhookReceiver {
  /** Events by webhook-id; an event can be delivered more than once. */
  readonly #events = new Map<string, z.infer<typeof event>>();

  private constructor(private readonly server: Server) {}

  /** Starts a receiver and registers it as a webhook endpoint of the client. */
  static async start(
    { running: { ready } }: ChaosSuite,
    { client_id, client_secret }: ClientCredentials,
  ): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', async (request, response) => {
      receiver.#events.set(String(request.headers['webhook-id']), event.parse(await json(request)));
      response.writeHead(204).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const answer = await fetch(`${ready.base_url}/connect/v1/webhooks`, {
      method: 'POST',
      headers: { client_id, client_secret },
      body: new URLSearchParams({ url }),
    });
    if (!answer.ok) {
      server.close();
      throw new Error(`the webhook endpoint could not be created: ${answer.status} ${await answer.text()}`);
    }
    return receiver;
  }

  /** The number of different events of a type for a connection. */
  count(type: string, connectionId: string): number {
    return [...this.#events.values()].filter((one) => one.type === type && one.data.connection_id === connectionId)
      .length;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
