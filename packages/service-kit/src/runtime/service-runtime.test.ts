import { X509Certificate } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewAuditEvent } from '@tributary/audit-log';
import { issueCertificates } from '@tributary/certificates';
import { waitUntil } from '@tributary/test-environment';
import { pino } from 'pino';
import { RotatingSecret } from '../config/rotating-secret';
import type { TlsFiles } from '../transport/tls-identity';
import { ServiceRuntime } from './service-runtime';

const mockEvents: NewAuditEvent[] = [];
jest.mock('../audit/open-audit-trail', () => ({
  openAuditTrail: () => ({
    record: (event: NewAuditEvent) => Promise.resolve(String(mockEvents.push(event))),
    close: () => Promise.resolve(),
  }),
}));

const log = pino({ level: 'silent' });
const folder = mkdtempSync(join(tmpdir(), 'runtime-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => mockEvents.splice(0));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
}

it('records the change of a secret file, without its values, and no other reading of it', async () => {
  const path = write('search-service-key', 'the first value of the secret\n');
  const secret = new RotatingSecret({ path, activationSeconds: 0 });
  const runtime = await ServiceRuntime.open({ name: 'search' }, log);
  write('search-service-key', 'the first value of the secret\n\n');
  secret.refresh();
  expect(mockEvents).toEqual([]);
  write('search-service-key', 'the first value of the secret\nanother\n');
  secret.refresh();
  expect(mockEvents).toEqual([
    {
      kind: 'secret.changed',
      action: 'U',
      outcome: 'success',
      agent: { service: 'search' },
      entities: [{ type: 'Secret', id: 'search-service-key' }],
    },
  ]);
  await runtime.close();
  write('search-service-key', 'another\n');
  secret.refresh();
  expect(mockEvents).toHaveLength(1);
});

it('records the change of a certificate by its fingerprint', async () => {
  const issue = async (): Promise<{ files: TlsFiles; fingerprint: string }> => {
    const { certificates, authority } = await issueCertificates({ search: ['search'] });
    const { certificate, key } = certificates.search;
    const files = {
      certificate: write('certificate', certificate),
      key: write('key', key),
      authority: write('authority', authority),
      reloadEveryMs: 20,
    };
    return { files, fingerprint: new X509Certificate(certificate).fingerprint256 };
  };
  const { files } = await issue();
  const runtime = await ServiceRuntime.open({ name: 'search', tls: files }, log);
  const { fingerprint } = await issue();
  await waitUntil(() => mockEvents.length > 0, 'the certificate is read again', 20);
  expect(mockEvents).toEqual([
    {
      kind: 'certificate.changed',
      action: 'U',
      outcome: 'success',
      agent: { service: 'search' },
      entities: [{ type: 'Certificate', id: fingerprint }],
    },
  ]);
  await runtime.close();
});
