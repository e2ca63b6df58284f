import express from 'express';
import { Webhook } from 'standardwebhooks';
import { type TestServer, listen } from './http-server';

export interface Received {
  id: string;
  signatures: number;
  type: string;
  timestamp: string;
  mode: string;
  data: Record<string, unknown>;
}

/** A webhook endpoint of a client, which verifies requests with the reference implementation of Standard Webhooks. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** The number of requests with an invalid signature. */
  forged = 0;
  /** The status of responses, also by the number of the request, and the delay before them. */
  status: number | ((nth: number) => number) = 204;
  delayMs = 0;
  /** The maximum number of concurrent requests so far. */
  maxConcurrent = 0;
  secret = '';
  #requests = 0;
  #underWay = 0;
  readonly #waiting = new Set<() => void>();
  #listening!: TestServer;

  static async listen(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#listening = await listen(receiver.#app());
    return receiver;
  }

  get url(): string {
    return `${this.#listening.url}/hook?tenant=7`;
  }

  close(): Promise<void> {
    return this.#listening.close();
  }

  #app(): express.Express {
    const app = express().use(express.text({ type: 'application/json' }));
    app.post('/hook', async (request, response) => {
      const nth = ++this.#requests;
      this.maxConcurrent = Math.max(this.maxConcurrent, ++this.#underWay);
      this.#take(String(request.body), request.headers as Record<string, string>);
      await this.#delay();
      this.#underWay--;
      const status = typeof this.status === 'number' ? this.status : this.status(nth);
      if (status === 302) response.redirect('/elsewhere');
      else response.status(status).send('thanks');
    });
    app.all('/elsewhere', (_request, response) => void response.status(200).end());
    return app;
  }

  /** Responds to all open requests, and to later ones without a delay. */
  respondNow(): void {
    this.delayMs = 0;
    for (const end of this.#waiting) end();
  }

  #delay(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, this.delayMs);
      this.#waiting.add(end);
    });
  }

  #take(body: string, headers: Record<string, string>): void {
    try {
      const event = new Webhook(this.secret).verify(body, headers) as Omit<Received, 'id' | 'signatures'>;
      this.received.push({
        id: headers['webhook-id'] ?? '',
        signatures: (headers['webhook-signature'] ?? '').split(' ').length,
        ...event,
      });
    } catch {
      this.forged++;
    }
  }
}
