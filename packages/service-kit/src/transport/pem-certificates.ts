import { X509Certificate } from 'node:crypto';

/**
 * Reads the certificates of a PEM text (RFC 7468), of which there is at least one.
 * @throws Error when one of them is incomplete. OpenSSL leaves out incomplete certificates of authorities silently
 */
export function certificatesOf(text: string): [X509Certificate, ...X509Certificate[]] {
  const begun = text.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
  const complete = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const [first, ...others] = complete.map((certificate) => new X509Certificate(certificate));
  if (first === undefined || complete.length !== begun) throw new Error('it has no complete certificate in PEM');
  return [first, ...others];
}
