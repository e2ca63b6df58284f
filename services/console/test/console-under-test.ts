import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type BegunConnectSession,
  type ClientApplication,
  type ConnectLinkOpening,
  type ConnectSessionRequest,
  type ConnectionDetail,
  type HealthSystem,
  type HealthSystemEntry,
  InternalCallError,
  type LiveToken,
  type OpenedConnectLink,
} from '@tributary/contracts';
import { PublicApi } from '@tributary/outbound';
import { type RedisClient, BrowserCookie, openRedis, textFile, untilReady } from '@tributary/service-kit';
import { testRedis } from '@tributary/test-environment';
import type { Express } from 'express';
import { pino } from 'pino';
import request, { type Response } from 'supertest';
import { consoleApp } from '../src/connect-pages/app';
import { PageSessions } from '../src/connect-pages/sessions/page-sessions';

const baseUrl = 'http://tributary.test';
export const client: ClientApplication = {
  client_id: 'better-sleep',
  name: 'Better Sleep',
  mode: 'test',
  redirect_uris: ['https://app.example/back?keep=1', 'bettersleep://back'],
  people: 'one',
};
export const userToken = 'token-of-the-user-0123456789';

/** The pages with fakes of the services that they call. */
export class ConsoleUnderTest {
  readonly tokens = new Map<string, LiveToken>();
  readonly systems = new Map<number, HealthSystem>();
  readonly begun: ConnectSessionRequest[] = [];
  /** What the public APIs have been asked, with the body. */
  readonly asked: { method: string; url: string; authorization: string | undefined; body: unknown }[] = [];
  /** Links that a browser has opened, with its secret. */
  readonly links = new Map<string, OpenedConnectLink & { browserSecret: string }>();
  connections: ConnectionDetail[] = [];
  /** What `$counts` answers of a release; without it, that it is away. */
  readonly counts = new Map<string, object>();
  found: HealthSystemEntry[] = [];
  /** How user-management refuses to begin a session. */
  refusal: InternalCallError | undefined;
  isApiAway = false;
  redirectUris: string[] = client.redirect_uris;

  private constructor(
    readonly app: Express,
    private readonly api: Server,
    private readonly redis: RedisClient,
  ) {}

  static async start(): Promise<ConsoleUnderTest> {
    const log = pino({ level: 'silent' });
    const redis = openRedis(testRedis().url, log);
    await untilReady(redis);
    const api = createServer((asked, response) => {
      void bodyOf(asked).then((body) => {
        const { status, answer } = pages.#answer(asked, body);
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
      });
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const publicApi = new PublicApi(url, () => undefined, 'a-test');
    const app = consoleApp({
      baseUrl,
      auth: {
        findClient: (id) =>
          Promise.resolve(id === client.client_id ? { ...client, redirect_uris: pages.redirectUris } : undefined),
      },
      tokens: { resolve: (token) => Promise.resolve(pages.tokens.get(token)) },
      sessions: new PageSessions(redis),
      cookie: new BrowserCookie(baseUrl),
      apis: { base: publicApi, search: publicApi },
      directory: { findHealthSystem: (id) => Promise.resolve(pages.systems.get(id)) },
      connectSessions: { begin: (session) => pages.#begin(session), endLink: (opening) => pages.#endLink(opening) },
      web: {
        render: ({ screen }) => ({ title: screen.name, html: `<h1>${screen.name}</h1>` }),
        files: new Map([['main.js', await textFile('text/javascript', 'let x;')]]),
        script: 'main.js',
        styles: 'main.css',
      },
      limits: [],
      log,
    });
    const pages = new ConsoleUnderTest(app, api, redis);
    return pages;
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    this.api.closeAllConnections();
    await new Promise((resolve) => this.api.close(resolve));
  }

  /** As before each test: one user, one health system, nothing connected. */
  async reset(): Promise<void> {
    const names = await this.redis.keys('connect-page:*');
    if (names.length > 0) await this.redis.del(names);
    this.tokens.clear();
    this.addToken(userToken);
    this.links.clear();
    this.systems.clear();
    this.systems.set(5, {
      id: 5,
      name: 'Lakeside',
      address: '1 Lake St',
      mode: 'test',
      endpoints: [{ fhirVersion: 'r4', fhir_base_url: 'https://lakeside.example/r4' }],
    });
    [this.begun.length, this.asked.length] = [0, 0];
    [this.connections, this.found] = [[], []];
    this.counts.clear();
    this.refusal = undefined;
    this.isApiAway = false;
    this.redirectUris = client.redirect_uris;
  }

  /** Of each session, from the start of the test. */
  async secondsLeft(): Promise<number[]> {
    const names = await this.redis.keys('connect-page:*');
    return Promise.all(names.map((name) => this.redis.ttl(name)));
  }

  addToken(token: string, more: Partial<LiveToken> = {}): void {
    this.tokens.set(token, {
      active: true,
      client_id: client.client_id,
      service_user_id: 7,
      mode: 'test',
      scope: 'user',
      expires_at: Math.floor(Date.now() / 1000) + 3600,
      ...more,
    });
  }

  async #begin(session: ConnectSessionRequest): Promise<BegunConnectSession> {
    await Promise.resolve();
    if (this.refusal) throw this.refusal;
    this.begun.push(session);
    return { location: 'https://lakeside.example/authorize?state=s', cookies: ['connect-state=c; Path=/'] };
  }

  async #endLink({ link, browser_secret }: ConnectLinkOpening): Promise<OpenedConnectLink> {
    await Promise.resolve();
    const { browserSecret, ...opened } = this.links.get(link) ?? {};
    if (browserSecret !== browser_secret || !('client_id' in opened))
      throw new InternalCallError('user-management', 410, 'connect_link_ended', 'this connect link has ended');
    this.links.delete(link);
    return opened;
  }

  #answer({ method = '', url = '', headers }: IncomingMessage, body: unknown): { status: number; answer: object } {
    if (this.isApiAway) return { status: 503, answer: {} };
    this.asked.push({ method, url, authorization: headers.authorization, body });
    const id = /^\/connect\/v1\/connections\/(.+)$/.exec(url)?.[1];
    const connection = this.connections.find(({ connection_id }) => connection_id === id);
    if (url === '/api/search')
      return {
        status: 200,
        answer: { success: true, total: this.found.length, offset: 0, limit: 20, entry: this.found },
      };
    if (url === '/connect/v1/connections') return { status: 200, answer: { success: true, entry: this.connections } };
    const counts = this.counts.get(/^\/(\w+)\/\$counts\?/.exec(url)?.[1] ?? '');
    if (counts) return { status: 200, answer: counts };
    if (url.includes('/$counts')) return { status: 503, answer: { resourceType: 'OperationOutcome' } };
    if (!connection)
      return {
        status: 404,
        answer: { success: false, error: 'there is no such connection', error_code: 'connection_not_found' },
      };
    return { status: 200, answer: method === 'DELETE' ? { success: true } : connection };
  }
}

/** A browser, with its cookies. */
export class PageBrowser {
  readonly cookies = new Map<string, string>();

  constructor(private readonly app: Express) {}

  get(path: string, accept = 'text/html', headers: Record<string, string> = {}): Promise<Response> {
    return this.#send(request(this.app).get(path).set('Accept', accept).set(headers));
  }

  post(path: string, fields: object, headers: Record<string, string> = { Origin: baseUrl }): Promise<Response> {
    return this.#send(request(this.app).post(path).type('form').set('Accept', 'text/html').set(headers).send(fields));
  }

  /** Opens a page. @returns its path */
  async open(more: Record<string, string> = {}, sentHeaders: Record<string, string> = {}): Promise<string> {
    const query = new URLSearchParams({ client_id: client.client_id, access_token: userToken, ...more });
    const { headers, status } = await this.get(`/connect?${query.toString()}`, 'text/html', sentHeaders);
    if (status !== 303) throw new Error(`the page was not opened: ${status}`);
    return String(headers['location']).split('/').slice(0, 4).join('/');
  }

  async #send(sent: request.Test): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await (cookie ? sent.set('Cookie', cookie) : sent);
    for (const line of (response.headers['set-cookie'] as unknown as string[] | undefined) ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return response;
  }
}

async function bodyOf(message: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of message as AsyncIterable<Buffer>) parts.push(part);
  const text = Buffer.concat(parts).toString();
  return text === '' ? undefined : JSON.parse(text);
}
