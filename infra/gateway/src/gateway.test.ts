import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, type Server, createServer, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { loopbackNetwork, waitUntil } from '@tributary/test-environment';
import { hintFor } from './near-paths';
import { notFoundBody } from './responses';

const isInstalled = spawnSync('haproxy', ['-v'], { stdio: 'ignore' }).status === 0;
if (!isInstalled) process.stderr.write('haproxy is not installed: the tests of its configuration are skipped\n');

const network = loopbackNetwork();
const gateway = `${network}.1`;
const ports = { base: 8080, auth: 8082, search: 8083, analytics: 8084 };

interface Upstream {
  readonly seen: IncomingMessage[];
  isReady: boolean;
  respond: RequestListener;
}

interface ProxyResponse {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const names = [
  'user-management',
  'fhir-store',
  'auth',
  'search',
  'analytics-export',
  'documentation',
  'mcp-server',
  'console',
  'audit-log',
] as const;
const upstreams = new Map<string, Upstream>();
const servers: Server[] = [];
/** What the proxy has logged. */
const lines: string[] = [];
/** Requests from this address are as those of a load balancer in front of the gateway. */
const loadBalancer = `${network}.2`;
const configuration = join(__dirname, '..', 'haproxy.cfg');
let proxy: ChildProcess;

/** The variables of the configuration. */
function environment(others: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const addresses = names.map((name, index) => [
    `${name.toUpperCase().replaceAll('-', '_')}_ADDRESS`,
    `${network}.${10 + index}:8080`,
  ]);
  return { PATH: process.env['PATH'], BIND_ADDRESS: gateway, ...Object.fromEntries(addresses), ...others };
}

function upstream(name: (typeof names)[number]): Upstream {
  return upstreams.get(name) as Upstream;
}

async function listen(host: string, port: number, listener: RequestListener): Promise<void> {
  const server = createServer(listener).listen(port, host);
  servers.push(server);
  await once(server, 'listening');
}

async function startUpstream(name: string, host: string): Promise<void> {
  const own: Upstream = {
    seen: [],
    isReady: true,
    respond: (_request, response) => response.writeHead(200, { 'X-Request-Id': 'from-service' }).end(name),
  };
  upstreams.set(name, own);
  await listen(host, 8080, (incoming, response) => {
    own.seen.push(incoming);
    own.respond(incoming, response);
  });
  await listen(host, 8081, (_request, response) => response.writeHead(own.isReady ? 200 : 503).end());
}

function send(
  path: string,
  options: { port?: number; method?: string; headers?: Record<string, string>; body?: string; from?: string } = {},
): Promise<ProxyResponse> {
  const { port = ports.base, method = 'GET', headers = {}, body, from = gateway } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: gateway, localAddress: from, port, path, method, headers: { connection: 'close', ...headers } },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        incoming.on('end', () => resolve({ status: incoming.statusCode, headers: incoming.headers, body: text }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** @throws SyntaxError when a line is not JSON */
function logged(): Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function loggedWith(matches: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
  return waitUntil(() => logged().find(matches));
}

/** Repeats a request until the response has the status: the proxy notices a change at its next health check. */
function askUntil(status: number, path: string): Promise<ProxyResponse> {
  return waitUntil(async () => {
    const response = await send(path);
    return response.status === status && response;
  });
}

(isInstalled ? describe : describe.skip)('the reverse proxy', () => {
  beforeAll(async () => {
    for (const [index, name] of names.entries()) await startUpstream(name, `${network}.${10 + index}`);
    proxy = spawn('haproxy', ['-db', '-f', configuration], {
      env: environment({ LOAD_BALANCERS: `192.0.2.0/24 ${loadBalancer}/32` }),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (!proxy.stdout) throw new Error('no standard output');
    createInterface({ input: proxy.stdout }).on('line', (line) => {
      if (line.startsWith('{')) lines.push(line);
    });
    await waitUntil(() =>
      send('/healthz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    await askUntil(200, '/r4/Patient');
    await askUntil(200, '/connect/v1/connections');
  });

  afterAll(async () => {
    proxy.kill('SIGKILL');
    await once(proxy, 'exit');
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });

  it.each([
    ['absent', {}],
    ['empty', { LOAD_BALANCERS: '' }],
    ['one range', { LOAD_BALANCERS: '192.0.2.0/24' }],
    ['several ranges', { LOAD_BALANCERS: '192.0.2.0/24 198.51.100.7' }],
    ['absent, and the files of TLS are empty', { TLS_CERTIFICATE_FILE: '', TLS_CA_FILE: '', HEALTH_ADDRESS: '' }],
  ])('accepts the configuration when LOAD_BALANCERS is %s', (_case, variables) => {
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', configuration], {
      env: environment(variables),
      encoding: 'utf8',
    });
    expect({ status, alerts: stderr.split('\n').filter((line) => line.includes('[ALERT]')) }).toEqual({
      status: 0,
      alerts: [],
    });
  });

  it.each([
    ['/user-management/v1/user?limit=3', ports.base, 'user-management', '/user-management/v1/user?limit=3'],
    ['/connect/system/clinical/7?client_id=a', ports.base, 'user-management', '/connect/system/clinical/7?client_id=a'],
    ['/connect?client_id=a', ports.base, 'console', '/connect?client_id=a'],
    ['/connect/pages/connections', ports.base, 'console', '/connect/pages/connections'],
    ['/connect/assets/main.js', ports.base, 'console', '/connect/assets/main.js'],
    ['/console', ports.base, 'console', '/console'],
    ['/console/clients?x', ports.base, 'console', '/console/clients?x'],
    ['/console/assets/main.js', ports.base, 'console', '/console/assets/main.js'],
    ['/', ports.base, 'documentation', '/'],
    ['/docs', ports.base, 'documentation', '/docs'],
    ['/user-management/openapi.json?x', ports.base, 'user-management', '/openapi.json?x'],
    ['/r4/Patient', ports.base, 'fhir-store', '/r4/Patient'],
    ['/dstu2?_type=Patient', ports.base, 'fhir-store', '/dstu2?_type=Patient'],
    ['/fhir-store/openapi.json', ports.base, 'fhir-store', '/openapi.json'],
    ['/audit/r4/AuditEvent?patient=1', ports.base, 'audit-log', '/audit/r4/AuditEvent?patient=1'],
    ['/audit/openapi.json', ports.base, 'audit-log', '/openapi.json'],
    ['/oauth2/token', ports.auth, 'auth', '/oauth2/token'],
    ['/api/search?query=x', ports.search, 'search', '/api/search?query=x'],
    ['/bulk-data/r4/$export', ports.analytics, 'analytics-export', '/bulk-data/r4/$export'],
  ] as const)('routes %s at port %d to %s', async (path, port, name, target) => {
    const response = await send(path, { port, headers: { client_id: 'c-1' } });
    expect([response.status, response.body]).toEqual([200, name]);
    const seen = upstream(name).seen.at(-1);
    expect(seen?.url).toBe(target);
    expect(seen?.headers).toMatchObject({
      client_id: 'c-1',
      'x-forwarded-proto': 'http',
      'x-forwarded-for': expect.any(String),
    });
  });

  it('sends Strict-Transport-Security only where a load balancer has received the request over TLS', async () => {
    const headers = { 'X-Forwarded-Proto': 'https' };
    for (const path of ['/r4/Patient', '/nothing'])
      expect((await send(path, { headers })).headers['strict-transport-security']).toBeUndefined();
    expect((await send('/nothing', { headers, from: loadBalancer })).headers).toHaveProperty(
      'strict-transport-security',
    );
    await send('/r4/Patient', { headers, from: loadBalancer });
    expect(upstream('fhir-store').seen.at(-1)?.headers['x-forwarded-proto']).toBe('https');
  });

  it('removes X-Forwarded-For of clients, and keeps that of load balancers', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.1' };
    // HAProxy appends the address as a header of its own, and Node joins headers of the same name.
    for (const [from, expected] of [
      [gateway, gateway],
      [loadBalancer, `203.0.113.1, ${loadBalancer}`],
    ] as const) {
      await send('/r4/Patient', { headers, from });
      expect(upstream('fhir-store').seen.at(-1)?.headers['x-forwarded-for']).toBe(expected);
    }
  });

  it.each(['/R4/Patient', '/r5', '/oauth2/token', '/Bulk-Data', '/nothing'])('hints at %s alike', async (path) => {
    const response = await send(path, {});
    expect([response.status, JSON.parse(response.body)]).toEqual([404, notFoundBody(hintFor(path))]);
  });

  it.each(['/docsx', '/r5/Patient', '/r4x', '/internal/v1/users', '/connected'])('responds 404 to %s', async (path) => {
    const response = await send(path, { headers: { 'X-Request-Id': 'abc-1' } });
    expect([response.status, JSON.parse(response.body)]).toEqual([
      404,
      expect.objectContaining({ success: false, error_code: 'not_found' }),
    ]);
    expect(response.headers).toMatchObject({
      'x-request-id': 'abc-1',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    });
  });

  it('forwards a valid request id and replaces an invalid one', async () => {
    await send('/r4/Patient', { headers: { 'X-Request-Id': 'abc-1' } });
    expect(upstream('fhir-store').seen.at(-1)?.headers['x-request-id']).toBe('abc-1');
    await send('/r4/Patient', { headers: { 'X-Request-Id': 'a b' } });
    expect(upstream('fhir-store').seen.at(-1)?.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('logs each request without its query, ids or token', async () => {
    await send('/r4/Patient/secret-id?name=secret-name&access_token=secret-token', {
      headers: { 'X-Request-Id': 'logged-1' },
    });
    await send('/secret-path', { headers: { 'X-Request-Id': 'logged-2' } });
    await loggedWith(({ requestId }) => requestId === 'logged-2');
    expect(logged().find(({ requestId }) => requestId === 'logged-1')).toMatchObject({
      service: 'gateway',
      method: 'GET',
      route: 'r4',
      status: 200,
      backend: 'fhir_store',
    });
    expect(lines.join('\n')).not.toContain('secret');
  });

  it.each([
    ['/r4/a","route":"forged', 'r4'],
    ['/r4\\', '-'],
    ['/connect/forged-12345/x', 'connect'],
    ['/.well-known/oauth-protected-resource/r4/forged', 'r4'],
    ['/docs/forged', 'docs'],
    ['/', '/'],
    ['/oauth2/forged"', 'auth', ports.auth],
    ['/forged"/', 'analytics-export', ports.analytics],
  ] as const)(
    'logs the name of the route of %s, and nothing else of the path',
    async (path, route, port = ports.base) => {
      const requestId = randomUUID();
      await send(path, { port, headers: { 'X-Request-Id': requestId } });
      const line = await loggedWith((one) => one['requestId'] === requestId);
      expect(line).toMatchObject({ route, status: route === '-' ? 404 : 200, method: 'GET' });
      expect(JSON.stringify(line)).not.toContain('forged');
    },
  );

  it.each([
    'good, "},{"forged":"1',
    '"},{"forged":"1, good',
    'good,good',
    'forged"\\',
    'forged\u00e9',
    `${'f'.repeat(128)}0`,
    '-forged',
  ])('forwards and logs an id of its own in place of %j', async (requestId) => {
    const before = lines.length;
    await send('/r4/Patient', { headers: { 'X-Request-Id': requestId } });
    const forwarded = upstream('fhir-store').seen.at(-1)?.headers['x-request-id'];
    expect(forwarded).toMatch(/^[0-9a-f-]{36}$/);
    expect(await loggedWith((one) => one['requestId'] === forwarded)).toMatchObject({ route: 'r4', status: 200 });
    expect(lines.slice(before).join('\n')).not.toMatch(/forged|good/);
  });

  it('logs a request line that is not valid as JSON and without its content', async () => {
    const socket = connect(ports.base, gateway);
    socket.end('GE"T /r4/forged HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket.resume(), 'close');
    const line = await loggedWith(({ status }) => status === 400);
    expect(line).toMatchObject({ service: 'gateway', route: '-' });
    expect(JSON.stringify(line)).not.toMatch(/forged|GE/);
  });

  it('keeps connections to the services open', async () => {
    const sockets = new Set<unknown>();
    const before = upstream('fhir-store').seen.length;
    for (let n = 0; n < 20; n++) await send('/r4/Patient');
    for (const { socket } of upstream('fhir-store').seen.slice(before)) sockets.add(socket);
    // The configuration has ten slots for replicas, which here all lead to the same one.
    expect(sockets.size).toBeLessThanOrEqual(10);
  });

  it('reports an unknown outcome when the connection breaks during a write, and does not repeat the write', async () => {
    upstream('fhir-store').respond = (incoming) => void incoming.resume().on('end', () => incoming.socket.destroy());
    const before = upstream('fhir-store').seen.length;
    const response = await send('/r4/Patient', {
      method: 'POST',
      body: '{}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(upstream('fhir-store').seen.length - before).toBe(1);
    expect([response.status, response.headers['content-type'], response.headers['retry-after']]).toEqual([
      502,
      'application/fhir+json; charset=utf-8',
      undefined,
    ]);
    expect(response.body).toContain('If-None-Exist');
  });

  it('closes the connection to a service when the client disconnects', async () => {
    const { respond } = upstream('auth');
    const outgoing = request({ host: gateway, port: ports.auth, path: '/oauth2/token', method: 'POST' });
    outgoing.on('error', () => undefined);
    const left = new Promise<void>((resolve) => {
      upstream('auth').respond = (incoming, response) => {
        incoming.resume();
        response.once('close', resolve);
        outgoing.destroy();
      };
    });
    outgoing.end('grant_type=refresh_token');
    await left;
    upstream('auth').respond = respond;
  });

  it('repeats a read when its connection breaks', async () => {
    const { respond } = upstream('user-management');
    let isBroken = true;
    upstream('user-management').respond = (incoming, response) => {
      if (isBroken) incoming.socket.destroy();
      else respond(incoming, response);
      isBroken = false;
    };
    expect((await send('/connect/v1/connections')).status).toBe(200);
  });

  it('responds 503 with Retry-After while no replica is ready, to a person by a page', async () => {
    upstream('user-management').isReady = false;
    const users = await askUntil(503, '/connect/v1/connections');
    expect([users.headers['retry-after'], JSON.parse(users.body)]).toEqual([
      '2',
      expect.objectContaining({ error_code: 'temporarily_unavailable' }),
    ]);
    const pages = await Promise.all(
      ['es-US,en;q=0.5', 'fr'].map((language) =>
        send('/connect/callback', { headers: { accept: 'text/html,*/*;q=0.8', 'accept-language': language } }),
      ),
    );
    expect(pages.map(({ status, headers }) => [status, headers['content-language'], headers['retry-after']])).toEqual([
      [503, 'es', '2'],
      [503, 'en', '2'],
    ]);
    expect(pages.map(({ body }) => /<h1>(.*)<\/h1>/.exec(body)?.[1])).toEqual([
      'Esto no funciona en este momento',
      'This does not work at the moment',
    ]);
    const [{ headers: ofPage }] = pages as [ProxyResponse];
    expect(ofPage).toMatchObject({ 'x-request-id': expect.any(String), 'cache-control': 'no-store' });
    expect([ofPage['content-security-policy'], ofPage['x-frame-options']]).toEqual([
      expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^;]+; .*frame-ancestors \*$/),
      undefined,
    ]);
    upstream('user-management').isReady = true;
    expect((await askUntil(200, '/connect/v1/connections')).body).toBe('user-management');
  });
});
