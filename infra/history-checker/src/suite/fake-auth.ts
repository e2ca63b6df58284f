import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Introspection } from '@tributary/contracts';

const clientId = 'history-checker';

/** A fake of auth's internal introspection API, for tokens that contain their user. */
export class FakeAuth {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeAuth> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { tokens } = JSON.parse(Buffer.concat(chunks).toString()) as { tokens: string[] };
        response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ tokens: tokens.map(introspect) }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeAuth(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** The access token of a user. */
export function tokenOf(userId: number): string {
  return `token-of-user-${String(userId).padStart(32, '0')}`;
}

function introspect(token: string): Introspection {
  const [, digits] = /^token-of-user-(\d+)$/.exec(token) ?? [];
  if (digits === undefined) return { active: false };
  return {
    active: true,
    client_id: clientId,
    service_user_id: Number(digits),
    mode: 'test',
    scope: 'user',
    expires_at: Math.floor(Date.now() / 1000) + 7200,
  };
}
