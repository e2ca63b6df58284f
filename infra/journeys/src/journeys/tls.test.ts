import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import { Client } from 'pg';
import { Addresses, type Listener } from '@tributary/local';
import { readySuite } from '../suite/ready';

const ready = readySuite();
const describeTls = ready.ca_file === undefined ? describe.skip : describe;
const addresses = new Addresses(Number(new URL(ready.base_url).port), 1, 'https');
const certificates = process.env['TRIBUTARY_CERTIFICATES'] ?? '';

const publicPorts = [
  'gateway',
  'auth',
  'search',
  'analytics-export',
  'sandbox-health-system',
  'sandbox-mail',
  'sandbox-mail smtp',
] as const;
const internalPorts = [
  'auth internal',
  'search internal',
  'user-management internal',
  'fhir-store internal',
  'analytics-export internal',
  'ingestion-worker internal',
  'mcp-server internal',
  'console internal',
  'documentation internal',
  'audit-log internal',
] as const satisfies readonly Listener[];

/** The certificate of a service, as somebody who has stolen it would use it. */
function certificateOf(service: string): { cert: Buffer; key: Buffer } {
  const read = (ending: string): Buffer => readFileSync(join(certificates, `${service}.${ending}`));
  return { cert: read('crt'), key: read('key') };
}

/** The environment of a service. */
function environmentOf(service: string): Record<string, string> {
  const running = JSON.parse(readFileSync(join(process.env['JOURNEY_HOME'] ?? '', 'running.json'), 'utf8')) as {
    environments: Record<string, Record<string, string>>;
  };
  return running.environments[service] ?? {};
}

/** The protocol version that a port agrees to. */
function protocolOf(listener: Listener, options: ConnectionOptions = {}): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: addresses.port(listener), host: 'localhost', ...options }, () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

/** What a port responds to bytes that are not encrypted, until it closes or resets the connection. */
async function responseInTheClear(listener: Listener, bytes: string): Promise<string> {
  const socket = new Socket().connect(addresses.port(listener), '127.0.0.1');
  let received = '';
  socket.on('error', () => undefined).write(bytes);
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

/** The status and the error code of a call to an internal API. */
function internalCall(
  listener: Listener,
  caller: { certificate?: string; name: string; key: string },
): Promise<[number | undefined, unknown]> {
  const url = `${addresses.url(listener)}/internal/openapi.json`;
  const own = caller.certificate === undefined ? {} : certificateOf(caller.certificate);
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ...own, agent: false, auth: `${caller.name}:${caller.key}` }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.once('end', () => {
        resolve([response.statusCode, (JSON.parse(text) as { error_code?: unknown }).error_code]);
      });
    });
    outgoing.once('error', reject).end();
  });
}

describeTls('over TLS', () => {
  it.each([...publicPorts, ...internalPorts])('%s speaks TLS 1.2 and later only', async (listener) => {
    await expect(protocolOf(listener)).resolves.toBe('TLSv1.3');
    await expect(protocolOf(listener, { maxVersion: 'TLSv1.2' })).resolves.toBe('TLSv1.2');
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
    await expect(protocolOf(listener, old)).rejects.toThrow();
    const answer = await responseInTheClear(listener, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(answer).not.toContain('200');
  });

  it('an internal API needs the certificate of the caller, and not only its key', async () => {
    const { SERVICE_KEY: key = '' } = environmentOf('user-management');
    const call = (certificate?: string) =>
      internalCall('fhir-store internal', {
        name: 'user-management',
        key,
        ...(certificate === undefined ? {} : { certificate }),
      });
    expect(await call()).toEqual([401, 'certificate_required']);
    expect(await call('search')).toEqual([401, 'unknown_service']);
    expect(await call('user-management')).toEqual([200, undefined]);
  });

  it('PostgreSQL refuses connections that are not encrypted', async () => {
    const {
      DATABASE_URL = '',
      DATABASE_PASSWORD: password = '',
      DATABASE_CA_FILE: authority = '',
    } = environmentOf('auth');
    const connectionString = Object.assign(new URL(DATABASE_URL), { password }).href;
    const refused = new Client({ connectionString });
    await expect(refused.connect()).rejects.toThrow(/no encryption/);
    const accepted = new Client({ connectionString, ssl: { ca: readFileSync(authority) } });
    await accepted.connect();
    const { rows } = await accepted.query<{ ssl: boolean }>(
      'SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = current_user',
    );
    await accepted.end();
    expect(rows).toEqual([{ ssl: true }]);
  });

  it('Redis refuses connections that are not encrypted', async () => {
    await expect(protocolOf('redis')).resolves.toMatch(/^TLSv1\.[23]$/);
    expect(await responseInTheClear('redis', 'PING\r\n')).not.toContain('NOAUTH');
  });
});
