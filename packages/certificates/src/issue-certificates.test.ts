import { X509Certificate, createPrivateKey } from 'node:crypto';
import { issueCertificates } from './issue-certificates';

describe('issueCertificates', () => {
  it('issues a certificate for servers and clients to each subject', async () => {
    const { authority, certificates } = await issueCertificates({
      auth: ['auth', 'localhost', '127.0.0.1'],
      search: [],
    });
    const [issuer, certificate] = [new X509Certificate(authority), new X509Certificate(certificates.auth.certificate)];
    expect(certificate.subjectAltName).toBe('DNS:auth, DNS:localhost, IP Address:127.0.0.1');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect([issuer.ca, certificate.ca, certificate.checkIssued(issuer)]).toEqual([true, false, true]);
    expect(certificate.verify(issuer.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(certificates.auth.key))).toBe(true);
    expect(new X509Certificate(certificates.search.certificate).verify(certificate.publicKey)).toBe(false);
  });

  it('issues certificates that have expired', async () => {
    const { certificates } = await issueCertificates({ old: ['old'] }, -1);
    expect(Date.parse(new X509Certificate(certificates.old.certificate).validTo)).toBeLessThan(Date.now());
  });
});
