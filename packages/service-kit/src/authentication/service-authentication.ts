import { createHash, timingSafeEqual } from 'node:crypto';
import type { Authentication } from '../api/authentication';
import { HttpError } from '../api/http-error';
import { namesOfClientCertificate } from '../transport/peer-certificate';

/**
 * Authenticates calling services by HTTP Basic with name and key; the principal is the name. Over TLS the client
 * certificate must also be that of the caller, so that a key alone is of no use.
 * @param keys the keys of the services that may call, by name
 */
export function serviceKeyAuthentication(keys: Record<string, string>): Authentication<string> {
  const digests = new Map(Object.entries(keys).map(([name, key]) => [name, digest(key)]));
  return {
    scheme: 'service',
    authenticate: (request) => {
      const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? '') ?? [];
      const [name = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':');
      const expected = digests.get(name);
      if (!expected || !timingSafeEqual(expected, digest(rest.join(':'))))
        return Promise.reject(new HttpError('unknown_service', 'the service credentials are wrong'));
      if (namesOfClientCertificate(request)?.includes(name) === false)
        return Promise.reject(new HttpError('unknown_service', 'the client certificate is not one of this service'));
      return Promise.resolve(name);
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
