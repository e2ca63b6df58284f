import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificates } from '@tributary/certificates';
import { SuiteCertificates } from './certificates';

describe('SuiteCertificates', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'suite-certificates-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('issues a certificate to each process, and keeps the certificates', async () => {
    const issued = await SuiteCertificates.open(folder);
    const { certificate } = issued.read('auth');
    const parsed = new X509Certificate(certificate);
    expect(parsed.subjectAltName).toBe('DNS:auth, DNS:localhost, IP Address:127.0.0.1');
    expect(parsed.checkIssued(new X509Certificate(issued.authority))).toBe(true);
    expect(statSync(issued.files('auth').key).mode & 0o077).toBe(0);
    expect((await SuiteCertificates.open(folder)).read('auth').certificate).toBe(certificate);
  });

  it('issues new ones where one is missing, from another authority, or about to expire', async () => {
    const before = await SuiteCertificates.open(folder);
    const { certificate, key } = before.files('search');
    const { certificates } = await issueCertificates({ search: ['search'] });
    const expiring = await issueCertificates({ search: ['search'] }, 2);
    const damages = [
      () => rmSync(key),
      () => writeFileSync(certificate, certificates.search.certificate),
      () => writeFileSync(before.authorityFile, expiring.authority),
      () => {
        writeFileSync(before.authorityFile, expiring.authority);
        for (const subject of ['search', 'auth'] as const)
          writeFileSync(before.files(subject).certificate, expiring.certificates.search.certificate);
      },
    ];
    for (const damage of damages) {
      damage();
      const { authority } = await SuiteCertificates.open(folder);
      for (const subject of ['auth', 'search', 'redis'] as const)
        expect(new X509Certificate(before.read(subject).certificate).checkIssued(new X509Certificate(authority))).toBe(
          true,
        );
    }
  });
});
