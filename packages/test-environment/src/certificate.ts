import { generateKeyPairSync, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** In PEM: for a server, and for the clients that are to trust it. */
export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
}

const known = new Map<string, TestCertificate>();

/** A self-signed certificate for a name or an IPv4 address; cached per test file. */
export function testCertificate(name: string): TestCertificate {
  const certificate = known.get(name) ?? makeCertificate(name);
  known.set(name, certificate);
  return certificate;
}

const sequence = 0x30;
const ecdsaWithSha256 = der(sequence, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const commonName = Buffer.from('550403', 'hex');
const subjectAltName = Buffer.from('551d11', 'hex');

/** A minimal X.509 version 3 certificate (RFC 5280). Written by hand because Node.js cannot create certificates. */
function makeCertificate(name: string): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const holder = der(sequence, der(0x31, der(sequence, der(0x06, commonName), der(0x0c, Buffer.from(name)))));
  const address = isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));
  const toBeSigned = der(
    sequence,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    holder,
    der(sequence, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z'))),
    holder,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(sequence, der(sequence, der(0x06, subjectAltName), der(0x04, der(sequence, address))))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  const body = der(sequence, toBeSigned, ecdsaWithSha256, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const head =
    length < 128 ? [tag, length] : length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
