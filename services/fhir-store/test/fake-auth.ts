import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Introspection } from '@tributary/contracts';

/** The internal API of auth, as far as the FHIR store calls it, for tests. */
export class FakeAuth {
  readonly #tokens = new Map<string, Introspection>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeAuth> {
    const server = createServer({ keepAliveTimeout: 65_000 });
    const auth = new FakeAuth(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { tokens } = JSON.parse(Buffer.concat(chunks).toString()) as { tokens: string[] };
        response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ tokens: tokens.map((token) => auth.#tokens.get(token) ?? { active: false }) }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return auth;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A good access token of a user. */
  token(serviceUserId: number, clientId = 'client', scope = 'user'): string {
    const token = randomBytes(32).toString('base64url');
    this.#tokens.set(token, {
      active: true,
      client_id: clientId,
      service_user_id: serviceUserId,
      mode: 'test',
      scope,
      expires_at: Math.floor(Date.now() / 1000) + 7200,
    });
    return token;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
