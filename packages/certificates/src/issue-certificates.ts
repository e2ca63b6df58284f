// @peculiar/x509 needs it.
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** In PEM. */
export interface Certificate {
  certificate: string;
  key: string;
}

export interface IssuedCertificates<Subject extends string> {
  /** The certificate of the authority, in PEM. Its key is not kept: it issues no other certificates. */
  authority: string;
  certificates: Record<Subject, Certificate>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;
/** Clocks of other machines may be slow. */
const toleranceMs = 300_000;

/**
 * Creates an authority and issues a certificate to each subject, for servers and clients (RFC 5280).
 * @param subjects the DNS names and IP addresses of each subject
 * @param days how long all of them are valid; certificates of a negative number have expired
 */
export async function issueCertificates<Subject extends string>(
  subjects: Record<Subject, readonly string[]>,
  days = 30,
): Promise<IssuedCertificates<Subject>> {
  const now = Date.now();
  const notAfter = new Date(now + days * dayMs);
  const validity = { notBefore: new Date(Math.min(now, notAfter.getTime()) - toleranceMs), notAfter };
  const authorityKeys = await keyPair();
  const name = 'CN=Tributary temporary authority';
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name,
    serialNumber: serialNumber(),
    signingAlgorithm: algorithm,
    keys: authorityKeys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  const issue = async (subject: string, names: readonly string[]): Promise<[string, Certificate]> => {
    const keys = await keyPair();
    const certificate = await X509CertificateGenerator.create({
      ...validity,
      subject: `CN=${subject}`,
      issuer: name,
      serialNumber: serialNumber(),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: authorityKeys.privateKey,
      extensions: extensionsOf(names),
    });
    return [subject, { certificate: `${certificate.toString('pem')}\n`, key: await privateKeyPem(keys.privateKey) }];
  };
  const issued = await Promise.all(
    Object.entries<readonly string[]>(subjects).map(([subject, names]) => issue(subject, names)),
  );
  return {
    authority: `${authority.toString('pem')}\n`,
    certificates: Object.fromEntries(issued) as Record<Subject, Certificate>,
  };
}

function extensionsOf(names: readonly string[]): Extension[] {
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
    new SubjectAlternativeNameExtension(
      names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
    ),
  ];
}

function keyPair(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

/** A positive number of 127 bits, in hexadecimal. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes.toString('hex');
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  const lines = der.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}
