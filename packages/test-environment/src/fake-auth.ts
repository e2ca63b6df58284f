import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface FakeClient {
  client_id: string;
  client_secret: string;
  mode: 'test' | 'live';
  redirect_uris: string[];
  /** Undefined: without an end. */
  consent_days?: number;
  /** Undefined: all. */
  requested_types?: string[];
  people?: 'one' | 'several';
  /** A data: URL. */
  logo?: string;
  frame_origins?: string[];
  /** Who acts by its secret, as by a temporary one. */
  developer?: string;
}

type Body = Record<string, unknown>;
/** A status, and the body of the response. */
type Answer = readonly [number, object];

const refusal = (status: number, error_code: string): Answer => [status, { success: false, error: 'no', error_code }];

/** The internal API of auth, with the clients and tokens that a test adds. */
export class FakeAuth {
  readonly clients = new Map<string, FakeClient>();
  readonly tokens = new Map<
    string,
    { client_id: string; service_user_id?: number; scope: string; developer?: string }
  >();
  readonly codes: Body[] = [];
  /** The ids of the users whose tokens were revoked. */
  readonly revoked: number[] = [];
  /** The ids of clients that are being deleted. */
  readonly deleting = new Set<string>();
  /** Every response is 503 while true. */
  isUnavailable = false;
  /** Runs before a code is issued. */
  beforeCode: () => Promise<void> = () => Promise.resolve();
  /** Runs before the tokens of a user are revoked. */
  beforeRevoking: () => Promise<void> = () => Promise.resolve();
  // As the services do: an idle connection must not end while a request is sent on it.
  readonly #server: Server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const body = text === '' ? {} : (JSON.parse(text) as Body);
      void this.#answer(`${request.method} ${request.url}`, body)
        .catch((): Answer => [500, {}])
        .then(([status, answer]) =>
          response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer)),
        );
    });
  });

  static async start(): Promise<FakeAuth> {
    const auth = new FakeAuth();
    auth.#server.listen(0, '127.0.0.1');
    await once(auth.#server, 'listening');
    return auth;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  addClient(redirectUris = ['https://client.example/done'], mode: FakeClient['mode'] = 'test'): FakeClient {
    const client = {
      client_id: randomBytes(12).toString('hex'),
      client_secret: randomBytes(32).toString('base64url'),
      mode,
      redirect_uris: redirectUris,
    };
    this.clients.set(client.client_id, client);
    return client;
  }

  /**
   * @param serviceUserId undefined: a token of the client itself
   * @param developer who acts for the client by the token
   */
  addToken(clientId: string, serviceUserId?: number, scope = 'user', developer?: string): string {
    const token = randomBytes(32).toString('base64url');
    const user = serviceUserId === undefined ? {} : { service_user_id: serviceUserId };
    this.tokens.set(token, { client_id: clientId, scope, ...user, ...(developer === undefined ? {} : { developer }) });
    return token;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: string, body: Body): Promise<Answer> {
    if (this.isUnavailable) return [503, {}];
    const [, route = request, id = ''] = /^(.*\/(?:clients|deleting-clients|users)\/)([^/]+)/.exec(request) ?? [];
    switch (request) {
      case 'GET /healthz':
        return [200, { status: 'live' }];
      case 'POST /internal/v1/clients/authenticate': {
        const client = this.clients.get(String(body['client_id']));
        const isRight = client !== undefined && client.client_secret === body['client_secret'];
        return isRight ? [200, shown(client)] : refusal(401, 'invalid_client');
      }
      case 'GET /internal/v1/deleting-clients':
        return [200, { client_ids: [...this.deleting] }];
      case 'POST /internal/v1/codes':
        await this.beforeCode();
        this.codes.push(body);
        return [200, { code: randomBytes(32).toString('base64url'), expires_in: 600 }];
      case 'POST /internal/v1/access-tokens':
        await this.beforeCode();
        return [200, { access_token: this.addToken(String(body['client_id']), Number(body['service_user_id'])) }];
      case 'POST /internal/v1/tokens/introspect':
        return [200, { tokens: (body['tokens'] as string[]).map((token) => this.#introspect(token)) }];
    }
    switch (route) {
      case 'GET /internal/v1/clients/': {
        const client = this.clients.get(id);
        return client ? [200, shown(client)] : refusal(404, 'client_not_found');
      }
      case 'DELETE /internal/v1/deleting-clients/':
        this.deleting.delete(id);
        return [204, {}];
      case 'DELETE /internal/v1/users/':
        await this.beforeRevoking();
        this.revoked.push(Number(id));
        for (const [token, { service_user_id }] of this.tokens)
          if (service_user_id === Number(id)) this.tokens.delete(token);
        return [200, {}];
    }
    return [404, {}];
  }

  #introspect(token: string): object {
    const grant = this.tokens.get(token);
    if (!grant) return { active: false };
    const mode = this.clients.get(grant.client_id)?.mode ?? 'test';
    return { active: true, ...grant, mode, expires_at: Math.floor(Date.now() / 1000) + 7 * 86_400 };
  }
}

function shown({ client_secret: _secret, ...client }: FakeClient): object {
  return { name: 'A client', ...client };
}
