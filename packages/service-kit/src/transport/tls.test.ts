import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import { type IssuedCertificates, issueCertificates } from '@tributary/certificates';
import { freePort } from '@tributary/test-environment';
import { z } from 'zod';
import { createLog } from '../runtime/log';
import { ServiceRuntime } from '../runtime/service-runtime';
import { RunningService } from '../../test/running-service';

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
    service = await RunningService.start({ ...filesOf('test'), TLS_RELOAD_SECONDS: '1' });
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
    const { TLS_CERTIFICATE_FILE, TLS_KEY_FILE, TLS_CA_FILE } = filesOf('search') as Record<string, string>;
    const files = { certificate: TLS_CERTIFICATE_FILE!, key: TLS_KEY_FILE!, authority: TLS_CA_FILE! };
    const runtime = await ServiceRuntime.open(
      { name: 'search', serviceKey: key, tls: { ...files, reloadEveryMs: 60_000 } },
      createLog('search', 'silent'),
    );
    const answer = runtime
      .internalHttp('test', service.internalUrl)
      .call({ method: 'GET', path: '/', idempotent: true, response: z.string() });
    expect(await answer).toBe('search');
    runtime.close();
  });

  it('is not called with an authority that did not issue its certificate, which is certain to have no effect', async () => {
    const { TLS_CERTIFICATE_FILE, TLS_KEY_FILE, TLS_CA_FILE } = filesOf('search', foreign, 'foreign') as Record<
      string,
      string
    >;
    const files = { certificate: TLS_CERTIFICATE_FILE!, key: TLS_KEY_FILE!, authority: TLS_CA_FILE! };
    const runtime = await ServiceRuntime.open(
      { name: 'search', serviceKey: key, tls: { ...files, reloadEveryMs: 60_000 } },
      createLog('search', 'silent'),
    );
    const call = runtime
      .internalHttp('test', service.internalUrl)
      .call({ method: 'GET', path: '/', idempotent: false, response: z.string() });
    await expect(call).rejects.toMatchObject({ errorCode: 'not_connected', isOutcomeUnknown: false });
    runtime.close();
  });

  it('replaces its certificate without a restart, and keeps it when a replacement cannot be used', async () => {
    const before = await serialNumber(service.publicUrl);
    const open = connect({ host: '127.0.0.1', port: Number(new URL(service.publicUrl).port), ca: issued.authority });
    open.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => open.once('data', resolve));

    // A file that is still being written.
    writeFileSync(
      join(folder, 'test-TLS_CERTIFICATE_FILE'),
      issued.certificates.test.certificate + issued.authority.slice(0, 200),
    );
    await service.line('the TLS certificate cannot be replaced: the file of TLS_CERTIFICATE_FILE is not PEM');
    expect(await serialNumber(service.publicUrl)).toBe(before);
    filesOf('test');

    // The key of another certificate.
    writeFileSync(join(folder, 'test-TLS_KEY_FILE'), foreign.certificates.search.key);
    await service.line('the TLS certificate cannot be replaced: TLS_KEY_FILE is not the key');
    expect(await serialNumber(service.publicUrl)).toBe(before);

    const expired = await issueCertificates(subjects, -1);
    filesOf('test', expired);
    await service.line('the TLS certificate cannot be replaced: the certificate of TLS_CERTIFICATE_FILE has expired');
    expect(await serialNumber(service.publicUrl)).toBe(before);

    const next = await issueCertificates(subjects, 3);
    filesOf('test', next);
    await service.line('the TLS certificate was replaced');
    await service.line('the TLS certificate expires soon');
    expect(await serialNumber(service.publicUrl, { ca: next.authority })).not.toBe(before);
    open.write('GET /seen HTTP/1.1\r\nHost: x\r\n\r\n');
    const [piece] = (await once(open, 'data')) as [Buffer];
    expect(piece.toString()).toContain('200 OK');
    open.destroy();
    filesOf('test');
  });
});

it('closes a connection on which no handshake begins, and stops', async () => {
  const service = await RunningService.start(filesOf('test', issued, 'stopping'));
  const socket = connectTcp(Number(new URL(service.publicUrl).port), '127.0.0.1').resume();
  await once(socket, 'connect');
  service.child.kill('SIGTERM');
  expect(await service.exited).toEqual([0, null]);
});

it('serves health checks over plain HTTP on HEALTH_PORT', async () => {
  const port = await freePort();
  const service = await RunningService.start({ ...filesOf('test', issued, 'health'), HEALTH_PORT: String(port) });
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/seen`)).status).toBe(404);
  service.child.kill('SIGTERM');
  await service.exited;
});

it('serves metrics over TLS, to callers with a certificate of the suite', async () => {
  const port = await freePort();
  const service = await RunningService.start({ ...filesOf('test', issued, 'metrics'), METRICS_PORT: String(port) });
  const url = `https://127.0.0.1:${port}/metrics`;
  expect(await get(url)).toEqual([401, expect.stringContaining('certificate_required')]);
  expect(await get(url, { caller: 'foreign' })).toEqual([401, expect.stringContaining('certificate_required')]);
  expect(await get(url, { caller: 'search' })).toEqual([
    200,
    expect.stringMatching(/^tributary_tls_certificate_expiry_timestamp_seconds\{service="test"\} \d+$/m),
  ]);
  service.child.kill('SIGTERM');
  await service.exited;
});

describe('a certificate that cannot be used', () => {
  it.each([
    ['only one of the files', (files) => ({ TLS_KEY_FILE: files['TLS_KEY_FILE'] }), 'belong together'],
    [
      'a file that does not exist',
      (files) => ({ ...files, TLS_CA_FILE: '/nowhere' }),
      'the file of TLS_CA_FILE cannot be read: ENOENT',
    ],
    [
      'a file that is not PEM',
      (files) => ({ ...files, TLS_CA_FILE: __filename }),
      'the file of TLS_CA_FILE is not PEM',
    ],
  ] as [string, (files: Record<string, string>) => Record<string, string>, string][])(
    'refuses the start: %s',
    async (_title, change, message) => {
      await expect(RunningService.start(change(filesOf('test', issued, 'start')))).rejects.toThrow(message);
    },
  );
});
