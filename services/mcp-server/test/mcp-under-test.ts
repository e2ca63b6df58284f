import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AuthClient, InternalHttp } from '@tributary/contracts';
import {
  type RedisClient,
  AccessTokens,
  FailedTokens,
  RateLimits,
  openRedis,
  untilReady,
} from '@tributary/service-kit';
import { testRedis } from '@tributary/test-environment';
import { pino } from 'pino';
import { publicApp } from '../src/app';
import { config } from '../src/config';
import { CallLimits, type Limits } from '../src/endpoint/call-limits';
import { McpEndpoint } from '../src/endpoint/mcp-endpoint';
import { FakeRecord } from './fake-record';

interface Options {
  limits?: Partial<Limits>;
  allowedOrigins?: string[];
}

/** The service with its public API on a port, a fake auth and a fake record. */
export class McpUnderTest {
  readonly #users = new Map<string, number>();
  readonly #clients: Client[] = [];
  /** Everything that was logged. */
  logged = '';

  private constructor(
    readonly url: string,
    readonly record: FakeRecord,
    readonly endpoint: McpEndpoint,
    private readonly servers: Server[],
    private readonly redis: RedisClient,
  ) {}

  static async start({ limits, allowedOrigins }: Options = {}): Promise<McpUnderTest> {
    const record = await FakeRecord.start();
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        service.logged += chunk.toString();
        done();
      },
    });
    const log = pino({ level: 'debug' }, output);
    const redis = openRedis(testRedis().url, log);
    await untilReady(redis);
    const auth = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { tokens } = JSON.parse(body) as { tokens: string[] };
        response
          .setHeader('Content-Type', 'application/json')
          .end(JSON.stringify({ tokens: tokens.map((token) => service.#introspect(token)) }));
      });
    }).listen(0, '127.0.0.1');
    const server = createServer().listen(0, '127.0.0.1');
    await Promise.all([once(auth, 'listening'), once(server, 'listening')]);
    const addressOf = (each: Server): string => `http://localhost:${(each.address() as AddressInfo).port}`;
    const authClient = new AuthClient(
      new InternalHttp({
        service: 'auth',
        baseUrl: addressOf(auth),
        caller: 'mcp-server',
        key: 'a-key-of-sixteen-characters',
      }),
    );
    const endpoint = new McpEndpoint({
      api: record.api,
      limits: new CallLimits({
        calls: 8,
        callsPerUser: 3,
        waitingCalls: 64,
        waitingCallsPerUser: 12,
        callTimeoutMs: 60_000,
        ...limits,
      }),
      log,
    });
    const { RATE_LIMITS, TRUSTED_PROXIES } = config.pick({ RATE_LIMITS: true, TRUSTED_PROXIES: true }).parse({});
    const service = new McpUnderTest(addressOf(server), record, endpoint, [auth, server], redis);
    server.on(
      'request',
      publicApp({
        endpoint,
        tokens: new AccessTokens(
          authClient,
          redis,
          new FailedTokens(new RateLimits(redis, RATE_LIMITS), TRUSTED_PROXIES),
        ),
        settings: { BASE_URL: service.url, AUTH_URL: 'https://auth.example.org', ALLOWED_ORIGINS: allowedOrigins },
        limits: [],
        log,
      }),
    );
    return service;
  }

  /** The token of a new user. */
  newToken(): string {
    const token = randomBytes(32).toString('base64url');
    this.#users.set(token, this.#users.size + 1);
    return token;
  }

  /** The token is no longer active. */
  revoke(token: string): void {
    this.#users.delete(token);
  }

  /** A client of the SDK that is connected with the token. */
  async connect(token: string, mode: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    this.#clients.push(client);
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${this.url}/mcp`), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      }),
    );
    return client;
  }

  /** Sends a body as an MCP client does, without the SDK. */
  post(token: string | undefined, body: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      body,
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    this.redis.disconnect();
    for (const server of this.servers) {
      server.closeAllConnections();
      server.close();
    }
    await this.record.stop();
  }

  #introspect(token: string): object {
    const user = this.#users.get(token);
    return user === undefined
      ? { active: false }
      : {
          active: true,
          client_id: 'client',
          service_user_id: user,
          mode: 'test',
          scope: 'user',
          expires_at: Math.floor(Date.now() / 1000) + 3600,
        };
  }
}
