import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

/**
 * The DNS names of the client certificate of a request, once it has been verified.
 * @returns undefined for a request without TLS; empty without a certificate, or with one of another authority
 */
export function namesOfClientCertificate({ socket }: Pick<IncomingMessage, 'socket'>): string[] | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  if (!socket.authorized) return [];
  const names = socket.getPeerX509Certificate()?.subjectAltName ?? '';
  // Node.js quotes names with characters that could end one: they match nothing.
  return names
    .split(', ')
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice('DNS:'.length));
}
