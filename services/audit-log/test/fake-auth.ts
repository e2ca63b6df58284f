import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientCredentials, LiveToken } from '@tributary/contracts';
import express from 'express';

/** Stands in for auth: the part of its internal API that audit-log needs, on what the test puts in. */
export class FakeAuth {
  readonly #secrets = new Map<string, string>();
  readonly #tokens = new Map<string, Pick<LiveToken, 'client_id' | 'service_user_id' | 'scope'>>();

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<FakeAuth> {
    const app = express().use(express.json());
    const auth = new FakeAuth(createServer({ keepAliveTimeout: 65_000 }, app).listen(0, '127.0.0.1'));
    await once(auth.server, 'listening');
    app.post('/internal/v1/clients/authenticate', (request, response) => {
      const { client_id, client_secret } = request.body as ClientCredentials;
      if (auth.#secrets.get(client_id) === client_secret)
        response.json({ client_id, name: 'A client', mode: 'test', redirect_uris: ['https://client.example/done'] });
      else response.status(401).json({ success: false, error: 'wrong', error_code: 'invalid_client' });
    });
    app.post('/internal/v1/tokens/introspect', (request, response) => {
      const expires_at = Math.floor(Date.now() / 1000) + 7 * 24 * 3600;
      const lives = (request.body as { tokens: string[] }).tokens.map((token) => auth.#tokens.get(token));
      response.json({
        tokens: lives.map((live) => (live ? { active: true, ...live, mode: 'test', expires_at } : { active: false })),
      });
    });
    return auth;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  addClient(): ClientCredentials {
    const client = { client_id: randomBytes(12).toString('hex'), client_secret: randomBytes(32).toString('base64url') };
    this.#secrets.set(client.client_id, client.client_secret);
    return client;
  }

  addToken(clientId: string, serviceUserId: number): string {
    const token = randomBytes(32).toString('base64url');
    this.#tokens.set(token, { client_id: clientId, service_user_id: serviceUserId, scope: 'user' });
    return token;
  }

  /** A token of the client itself. */
  addSystemToken(clientId: string, scope: string): string {
    const token = randomBytes(32).toString('base64url');
    this.#tokens.set(token, { client_id: clientId, scope });
    return token;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
