import { randomBytes } from 'node:crypto';
import type { ClientMode } from '@tributary/contracts';
import express from 'express';
import { type TestServer, listen } from './http-server';

interface ClientData {
  client_id: string;
  client_secret: string;
  mode: ClientMode;
  redirect_uris: string[];
  /** Undefined: without an end. */
  consent_days?: number;
  /** Undefined: all. */
  requested_types?: string[];
  people?: 'one' | 'several';
}

/** The internal API of auth, with the clients and tokens that a test adds. */
export class FakeAuth {
  readonly clients = new Map<string, ClientData>();
  readonly codes: { client_id: string; service_user_id: number }[] = [];
  readonly tokens = new Map<string, { client_id: string; service_user_id?: number; scope: string }>();
  readonly revoked: number[] = [];
  /** The ids of clients that are being deleted. */
  readonly deleting = new Set<string>();
  /** Every response is 503 while true. */
  isUnavailable = false;
  /** Runs before a code is issued. */
  beforeCode: () => Promise<void> = () => Promise.resolve();
  /** Runs before the tokens of a user are revoked. */
  beforeRevoking: () => Promise<void> = () => Promise.resolve();

  static async listen(): Promise<{ auth: FakeAuth; listening: TestServer }> {
    const auth = new FakeAuth();
    return { auth, listening: await listen(auth.#app()) };
  }

  addClient(redirectUris = ['https://client.example/done'], mode: ClientMode = 'test'): ClientData {
    const client = {
      client_id: randomBytes(12).toString('hex'),
      client_secret: randomBytes(32).toString('base64url'),
      mode,
      redirect_uris: redirectUris,
    };
    this.clients.set(client.client_id, client);
    return client;
  }

  addToken(clientId: string, serviceUserId?: number, scope = 'user'): string {
    const token = randomBytes(32).toString('base64url');
    this.tokens.set(token, {
      client_id: clientId,
      scope,
      ...(serviceUserId === undefined ? {} : { service_user_id: serviceUserId }),
    });
    return token;
  }

  #app(): express.Express {
    const app = express().use(express.json());
    app.use((_request, response, next) => {
      if (this.isUnavailable) response.status(503).json({});
      else next();
    });
    const shown = ({ client_id, mode, redirect_uris, requested_types, consent_days, people }: ClientData): object => ({
      client_id,
      name: 'A client',
      mode,
      redirect_uris,
      requested_types,
      consent_days,
      people,
    });
    app.get('/healthz', (_request, response) => void response.json({ status: 'live' }));
    app.post('/internal/v1/clients/authenticate', (request, response) => {
      const { client_id, client_secret } = request.body as Record<string, string>;
      const client = this.clients.get(String(client_id));
      if (client && client.client_secret === client_secret) response.json(shown(client));
      else response.status(401).json({ success: false, error: 'no', error_code: 'invalid_client' });
    });
    app.get('/internal/v1/clients/:id', (request, response) => {
      const client = this.clients.get(request.params.id);
      if (client) response.json(shown(client));
      else response.status(404).json({ success: false, error: 'no', error_code: 'client_not_found' });
    });
    app.get('/internal/v1/deleting-clients', (_request, response) => {
      response.json({ client_ids: [...this.deleting] });
    });
    app.delete('/internal/v1/deleting-clients/:id', (request, response) => {
      this.deleting.delete(request.params.id);
      response.status(204).end();
    });
    app.post('/internal/v1/codes', async (request, response) => {
      await this.beforeCode();
      this.codes.push(request.body as { client_id: string; service_user_id: number });
      response.json({ code: randomBytes(32).toString('base64url'), expires_in: 600 });
    });
    app.post('/internal/v1/tokens/introspect', (request, response) => {
      const expires_at = Math.floor(Date.now() / 1000) + 7200;
      const lives = (request.body as { tokens: string[] }).tokens.map((token) => this.tokens.get(token));
      response.json({
        tokens: lives.map((live) =>
          live
            ? {
                active: true,
                ...live,
                mode: this.clients.get(live.client_id)?.mode ?? 'test',
                expires_at,
              }
            : { active: false },
        ),
      });
    });
    app.delete('/internal/v1/users/:id/tokens', async (request, response) => {
      await this.beforeRevoking();
      const id = Number(request.params.id);
      this.revoked.push(id);
      for (const [token, { service_user_id }] of this.tokens) if (service_user_id === id) this.tokens.delete(token);
      response.status(200).json({});
    });
    return app;
  }
}
