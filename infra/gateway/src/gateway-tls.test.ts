import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { type RequestOptions, type Server, createServer, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type ConnectionOptions, type TLSSocket, connect } from 'node:tls';
import { loopbackNetwork, waitUntil } from '@tributary/test-environment';
import { type Certificate, type IssuedCertificates, issueCertificates } from '@tributary/certificates';

const isInstalled = spawnSync('haproxy', ['-v'], { stdio: 'ignore' }).status === 0;

const network = loopbackNetwork();
const gateway = `${network}.1`;
const loadBalancer = `${network}.2`;
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
type Name = (typeof names)[number];
const addressOf = (name: Name): string => `${network}.${10 + names.indexOf(name)}`;
/** The certificate of this service has another name; that of mcp-server is from another authority. */
const impostor: Name = 'search';

let folder: string;
let issued: IssuedCertificates<Name | 'gateway' | 'internal' | 'renewed'>;
let proxy: ChildProcess;
const servers: Server[] = [];
/** What the gateway has logged. */
const messages: string[] = [];
let respond: RequestListener;
const defaultResponse: RequestListener = (incoming, response) =>
  response
    .writeHead(200, {
      'X-Request-Id': 'from-service',
      'Strict-Transport-Security': 'max-age=1',
      Proto: String(incoming.headers['x-forwarded-proto']),
    })
    .end(incoming.headers['x-forwarded-for']);

/** Writes a file of the gateway, as a mounted secret changes: at once. */
function put(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return path;
}

async function startService(name: Name, { certificate, key }: Certificate): Promise<void> {
  for (const port of [8080, 8081]) {
    const server = createServer({ cert: certificate, key }, (incoming, response) => {
      if (port === 8081) response.end();
      else respond(incoming, response);
    });
    // The gateway ends its handshakes with services that it does not trust.
    server.on('tlsClientError', () => undefined);
    servers.push(server.listen(port, addressOf(name)));
    await once(server, 'listening');
  }
}

interface Answer {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

function send(path: string, options: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: gateway,
        localAddress: gateway,
        port: 8080,
        path,
        agent: false,
        ca: issued.authority,
        servername: 'localhost',
        ...options,
      },
      (incoming) => {
        let body = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        incoming.on('end', () => resolve({ status: incoming.statusCode, headers: incoming.headers, body }));
      },
    );
    outgoing.on('error', reject).end();
  });
}

async function untilReady(path: string): Promise<void> {
  const isReady = (): Promise<boolean> =>
    send(path).then(
      ({ status }) => status === 200,
      () => false,
    );
  await waitUntil(isReady);
}

async function handshake(options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ host: gateway, port: 8080, ca: issued.authority, servername: 'localhost', ...options });
  const closed = once(socket, 'close').then(() => Promise.reject(new Error('closed before the handshake')));
  await Promise.race([once(socket, 'secureConnect'), closed]);
  socket.on('error', () => undefined);
  return socket;
}

async function presentedName(): Promise<string | undefined> {
  const socket = await handshake({});
  const name = socket.getPeerX509Certificate()?.subject;
  socket.destroy();
  return name;
}

/** A gateway over plain HTTP whose responses carry no HSTS is tested in gateway.test.ts. */
const script = join(__dirname, '..', '..', 'docker', 'gateway.sh');

describe('the gateway refuses plain HTTP', () => {
  it.each([
    ['without SANDBOX_MODE', {}, ['TLS_CERTIFICATE_FILE', 'TLS_CA_FILE']],
    ['with SANDBOX_MODE=false', { SANDBOX_MODE: 'false' }, ['TLS_CERTIFICATE_FILE', 'TLS_CA_FILE']],
    ['with REQUIRE_TLS', { SANDBOX_MODE: 'true', REQUIRE_TLS: 'true' }, ['TLS_CERTIFICATE_FILE', 'TLS_CA_FILE']],
    ['to the services', { TLS_CERTIFICATE_FILE: '/tls/tls.crt', TLS_CA_FILE: '' }, ['TLS_CA_FILE']],
    ['of clients', { TLS_CA_FILE: '/tls/ca.crt' }, ['TLS_CERTIFICATE_FILE']],
  ])('%s', (_, environment, names) => {
    const { status, stderr } = spawnSync('bash', [script, '/dev/null'], {
      env: { PATH: process.env['PATH'], ...environment },
      encoding: 'utf8',
    });
    expect([status, stderr.trim().split('\n')]).toEqual([
      1,
      names.map((name) => expect.stringMatching(`^${name} is not set: .*SANDBOX_MODE=true`)),
    ]);
  });
});

(isInstalled ? describe : describe.skip)('the reverse proxy over TLS', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-'));
    const subjects = Object.fromEntries(names.map((name) => [name, [name]])) as Record<Name, string[]>;
    issued = await issueCertificates({
      ...subjects,
      gateway: ['localhost'],
      internal: ['gateway.internal'],
      renewed: ['localhost'],
    });
    const foreign = await issueCertificates({ 'mcp-server': ['mcp-server'] });
    respond = defaultResponse;
    for (const name of names)
      await startService(
        name,
        name === 'mcp-server'
          ? foreign.certificates[name]
          : issued.certificates[name === impostor ? 'documentation' : name],
      );
    put('tls.key', issued.certificates.gateway.key);
    put('internal.key', issued.certificates.internal.key);
    const addresses = names.map((name) => [
      `${name.toUpperCase().replaceAll('-', '_')}_ADDRESS`,
      `${addressOf(name)}:8080`,
    ]);
    proxy = spawn(script, [join(__dirname, '..', 'haproxy.cfg')], {
      env: {
        PATH: process.env['PATH'],
        BIND_ADDRESS: gateway,
        HEALTH_ADDRESS: `${gateway}:8085`,
        LOAD_BALANCERS: `${loadBalancer}/32`,
        TLS_CERTIFICATE_FILE: put('tls.crt', issued.certificates.gateway.certificate),
        TLS_INTERNAL_CERTIFICATE_FILE: put('internal.crt', issued.certificates.internal.certificate),
        TLS_CA_FILE: put('ca.crt', issued.authority),
        TLS_RELOAD_SECONDS: '0.2',
        ...Object.fromEntries(addresses),
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (!proxy.stdout) throw new Error('no standard output');
    createInterface({ input: proxy.stdout }).on('line', (line) => messages.push(line));
    await untilReady('/healthz');
    await untilReady('/r4/Patient');
  });

  afterAll(async () => {
    proxy.kill('SIGUSR1');
    await once(proxy, 'exit');
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    rmSync(folder, { recursive: true });
  });

  it('presents its second certificate to those who ask for a name in it', async () => {
    expect(await send('/healthz', { servername: 'gateway.internal' })).toMatchObject({ status: 200 });
    await expect(send('/healthz', { servername: 'another' })).rejects.toThrow('altnames');
  });

  it('forwards to services whose certificate it verifies', async () => {
    expect(await send('/r4/Patient')).toMatchObject({
      status: 200,
      body: gateway,
      headers: { proto: 'https', 'strict-transport-security': 'max-age=1' },
    });
  });

  it('does not forward to a service of another name, or with a certificate of another authority', async () => {
    for (const [path, port] of [
      ['/api/search', 8083],
      ['/mcp', 8080],
    ] as const) {
      const answer = await send(path, { port });
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
    }
  });

  it('reports TLS to the services, whatever clients and load balancers say', async () => {
    const headers = { 'X-Forwarded-Proto': 'http' };
    expect((await send('/r4/Patient', { headers })).headers).toMatchObject({ proto: 'https' });
    expect((await send('/r4/Patient', { headers, localAddress: loadBalancer })).headers).toMatchObject({
      proto: 'https',
    });
  });

  it('accepts TLS 1.2 and 1.3 with forward secrecy, and offers HTTP/2', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await handshake({ minVersion: version, maxVersion: version, ALPNProtocols: ['h2', 'http/1.1'] });
      expect([socket.getProtocol(), socket.alpnProtocol]).toEqual([version, 'h2']);
      socket.destroy();
    }
    const tooOld = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
    await expect(handshake(tooOld)).rejects.toThrow();
    await expect(handshake({ maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' })).rejects.toThrow();
  });

  it('answers health checks of its container over plain HTTP', async () => {
    const answer = await fetch(`http://${gateway}:8085/healthz`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'live' }]);
    expect((await fetch(`http://${gateway}:8085/r4/Patient`)).status).toBe(404);
  });

  it('takes a new certificate without a restart, and finishes requests under way', async () => {
    expect(await presentedName()).toBe('CN=gateway');
    let finish = (): void => undefined;
    const underWay = new Promise<void>((resolve) => {
      respond = (_incoming, response) => {
        finish = () => void response.end('late');
        resolve();
      };
    });
    const late = send('/r4/Patient');
    await underWay;
    respond = defaultResponse;

    // A certificate without its key yet.
    put('tls.crt', issued.certificates.renewed.certificate);
    await waitUntil(() => messages.some((message) => message.includes('cannot be used')));
    expect(await presentedName()).toBe('CN=gateway');
    put('tls.key', issued.certificates.renewed.key);
    // A handshake that is under way when the proxy reloads can be closed.
    await waitUntil(() =>
      presentedName().then(
        (name) => name === 'CN=renewed',
        () => false,
      ),
    );
    finish();
    expect(await late).toMatchObject({ status: 200, body: 'late' });
    await untilReady('/r4/Patient');
    expect(proxy.exitCode).toBeNull();
    expect(messages.filter((message) => message.includes('cannot be used'))).toHaveLength(1);
  });
});
