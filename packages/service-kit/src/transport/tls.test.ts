import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';
import { type IssuedCertificates, issueCertificates } from '@tributary/certificates';
import { pino } from 'pino';
import { z } from 'zod';
import { listen } from '../runtime/http-server';
import { createLog } from '../runtime/log';
import { ServiceRuntime } from '../runtime/service-runtime';
import { RunningService } from '../../test/running-service';
import { type TlsFiles, TlsIdentity } from './tls-identity';

type Subject = 'test' | 'search' | 'auth';

const subjects = { test: ['127.0.0.1', 'test'], search: ['search'], auth: ['auth'] };
const key = 'the key of the search';
const basic = (name: string): string => `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`;

let issued: IssuedCertificates<Subject>;
let foreign: IssuedCertificates<Subject>;
let folder: string;

beforeAll(async () => {
  [issued, foreign] = await Promise.all([issueCertificates(subjects), issueCertificates(subjects)]);
  folder = mkdtempSync(join(tmpdir(), 'tls-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes the files of a subject; existing ones are replaced at once. */
function filesOf(subject: Subject, from = issued, name: string = subject): Record<string, string> {
  const { certificate, key } = from.certificates[subject];
  const contents = { TLS_CERTIFICATE_FILE: certificate, TLS_KEY_FILE: key, TLS_CA_FILE: from.authority };
  return Object.fromEntries(
    Object.entries(contents).map(([variable, content]) => {
      const path = join(folder, `${name}-${variable}`);
      writeFileSync(`${path}.new`, content);
      renameSync(`${path}.new`, path);
      return [variable, path];
    }),
  );
}

/** The same files, as a process opens them. */
function tlsFilesOf(...parameters: Parameters<typeof filesOf>): TlsFiles {
  const { TLS_CERTIFICATE_FILE, TLS_KEY_FILE, TLS_CA_FILE } = filesOf(...parameters) as Record<string, string>;
  return {
    certificate: TLS_CERTIFICATE_FILE!,
    key: TLS_KEY_FILE!,
    authority: TLS_CA_FILE!,
    reloadEveryMs: 60_000,
  };
}

/** The status and body of a response to a GET request. */
function get(
  url: string,
  {
    caller,
    ca = issued.authority,
    authorization = '',
  }: { caller?: Subject | 'foreign'; ca?: string; authorization?: string } = {},
): Promise<[number | undefined, string]> {
  const { certificate, key } =
    caller === 'foreign' ? foreign.certificates.search : issued.certificates[caller ?? 'search'];
  return new Promise((resolve, reject) => {
    request(
      url,
      {
        agent: false,
        ca,
        ...(caller ? { cert: certificate, key } : {}),
        headers: authorization === '' ? {} : { authorization },
      },
      (response) => {
        let body = '';
        response.on('data', (piece: Buffer) => (body += piece.toString()));
        response.on('end', () => resolve([response.statusCode, body]));
      },
    )
      .on('error', reject)
      .end();
  });
}

/** The serial number of the certificate of a server; rejects when the handshake fails. */
function serialNumber(url: string, options: ConnectionOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca: issued.authority, ...options });
    socket.on('error', reject);
    socket.on('secureConnect', () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
  });
}

describe('a service with a certificate', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await RunningService.start({ ...filesOf('test'), HEALTH_PORT: '0', METRICS_PORT: '0' });
  });
  afterAll(async () => {
    service.child.kill('SIGTERM');
    await service.exited;
  });

  it('serves its APIs over TLS 1.2 and later', async () => {
    expect(await get(service.publicUrl)).toEqual([200, 'ok']);
    await expect(serialNumber(service.publicUrl, { maxVersion: 'TLSv1.2' })).resolves.toMatch(/^[0-9A-F]+$/);
    await expect(
      serialNumber(service.publicUrl, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' }),
    ).rejects.toThrow(/protocol version|handshake failure/);
    await expect(
      serialNumber(service.publicUrl, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' }),
    ).rejects.toThrow('handshake failure');
    await expect(fetch(service.publicUrl.replace('https:', 'http:'))).rejects.toThrow();
  });

  it('serves health checks without a client certificate', async () => {
    expect(await get(`${service.internalUrl}/readyz`)).toEqual([200, expect.stringContaining('ready')]);
  });

  it('serves health checks over plain HTTP on HEALTH_PORT', async () => {
    const { healthPort: port } = await service.line('serving');
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/seen`)).status).toBe(404);
  });

  it('serves metrics over TLS, to callers with a certificate of the suite', async () => {
    const url = `https://127.0.0.1:${(await service.line('serving')).metricsPort}/metrics`;
    expect(await get(url)).toEqual([401, expect.stringContaining('certificate_required')]);
    expect(await get(url, { caller: 'foreign' })).toEqual([401, expect.stringContaining('certificate_required')]);
    expect(await get(url, { caller: 'search' })).toEqual([
      200,
      expect.stringMatching(/^tributary_tls_certificate_expiry_timestamp_seconds\{service="test"\} \d+$/m),
    ]);
  });

  it.each([
    ['no certificate', undefined, 'search', [401, expect.stringContaining('certificate_required')]],
    ['a certificate of another authority', 'foreign', 'search', [401, expect.stringContaining('certificate_required')]],
    ['the certificate of another service', 'auth', 'search', [401, 'unknown_service']],
    ['its own certificate, but no key', 'search', '', [401, 'unknown_service']],
    ['its own certificate', 'search', 'search', [200, 'search']],
  ] as const)('judges a caller with %s', async (_title, caller, name, expected) => {
    const authorization = name === '' ? '' : basic(name);
    expect(await get(`${service.internalUrl}/`, { ...(caller ? { caller } : {}), authorization })).toEqual(expected);
  });

  it('is called by the HTTP client of another service', async () => {
    const runtime = await ServiceRuntime.open(
      { name: 'search', serviceKey: key, tls: tlsFilesOf('search') },
      createLog('search', 'silent'),
    );
    const answer = runtime
      .internalHttp('test', service.internalUrl)
      .call({ method: 'GET', path: '/', response: z.string() });
    expect(await answer).toBe('search');
    runtime.close();
  });

  it('is not called with an authority that did not issue its certificate, which is certain to have no effect', async () => {
    const runtime = await ServiceRuntime.open(
      { name: 'search', serviceKey: key, tls: tlsFilesOf('search', foreign, 'foreign') },
      createLog('search', 'silent'),
    );
    const call = runtime
      .internalHttp('test', service.internalUrl)
      .call({ method: 'GET', path: '/', response: z.string() });
    await expect(call).rejects.toMatchObject({ errorCode: 'not_connected', isOutcomeUnknown: false });
    runtime.close();
  });
});

describe('a server with a certificate', () => {
  /** A server in this process. `logged` waits for a message of its certificate. */
  async function serve(files: TlsFiles, headersTimeoutMs?: number) {
    const output = new PassThrough({ encoding: 'utf8' });
    let log = '';
    output.on('data', (lines) => (log += lines));
    const identity = await TlsIdentity.open(files, pino({}, output));
    const server = await listen({
      app: (_request, response) => response.end('ok'),
      port: 0,
      host: '127.0.0.1',
      variable: 'PORT',
      identity,
      isStopping: () => false,
      ...(headersTimeoutMs === undefined ? {} : { headersTimeoutMs }),
    });
    const logged = async (message: string): Promise<void> => {
      while (!log.includes(`"msg":"${message}`)) await once(output, 'data');
    };
    return { identity, server, url: `https://127.0.0.1:${server.port}`, logged };
  }

  it('replaces it without a restart, and keeps it when a replacement cannot be used', async () => {
    const { identity, server, url, logged } = await serve({ ...tlsFilesOf('test'), reloadEveryMs: 20 });
    const before = await serialNumber(url);
    const open = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca: issued.authority });
    open.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => open.once('data', resolve));

    // A file that is still being written.
    writeFileSync(
      join(folder, 'test-TLS_CERTIFICATE_FILE'),
      issued.certificates.test.certificate + issued.authority.slice(0, 200),
    );
    await logged('the TLS certificate cannot be replaced: the file of TLS_CERTIFICATE_FILE is not PEM');
    expect(await serialNumber(url)).toBe(before);
    filesOf('test');

    // The key of another certificate.
    writeFileSync(join(folder, 'test-TLS_KEY_FILE'), foreign.certificates.search.key);
    await logged('the TLS certificate cannot be replaced: TLS_KEY_FILE is not the key');
    expect(await serialNumber(url)).toBe(before);

    const expired = await issueCertificates(subjects, -1);
    filesOf('test', expired);
    await logged('the TLS certificate cannot be replaced: the certificate of TLS_CERTIFICATE_FILE has expired');
    expect(await serialNumber(url)).toBe(before);

    const next = await issueCertificates(subjects, 3);
    filesOf('test', next);
    await logged('the TLS certificate was replaced');
    await logged('the TLS certificate expires soon');
    expect(await serialNumber(url, { ca: next.authority })).not.toBe(before);
    open.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [piece] = (await once(open, 'data')) as [Buffer];
    expect(piece.toString()).toContain('200 OK');
    open.destroy();
    filesOf('test');
    identity.close();
    await server.close(0);
  });

  it.each([
    ['in time', 100, 600_000],
    ['when the server closes', undefined, 0],
  ])('closes a connection on which no handshake begins %s', async (_title, headersTimeoutMs, closedWithinMs) => {
    const { identity, server } = await serve(tlsFilesOf('test'), headersTimeoutMs);
    const socket = connectTcp(server.port, '127.0.0.1').resume();
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    await server.close(closedWithinMs);
    await closed;
    identity.close();
  });
});

describe('a certificate that cannot be used', () => {
  it.each([
    ['only one of the files', (files) => ({ TLS_KEY_FILE: files['TLS_KEY_FILE'] }), 'belong together'],
    [
      'a file that does not exist',
      (files) => ({ ...files, TLS_CA_FILE: '/nowhere' }),
      'the file of TLS_CA_FILE cannot be read: ENOENT',
    ],
  ] as [string, (files: Record<string, string>) => Record<string, string>, string][])(
    'refuses the start: %s',
    async (_title, change, message) => {
      await expect(RunningService.start(change(filesOf('test', issued, 'start')))).rejects.toThrow(message);
    },
  );

  it('is refused: a file that is not PEM', async () => {
    const files = { ...tlsFilesOf('test', issued, 'start'), authority: __filename };
    await expect(TlsIdentity.open(files, createLog('test', 'silent'))).rejects.toThrow(
      'the file of TLS_CA_FILE is not PEM',
    );
  });
});
