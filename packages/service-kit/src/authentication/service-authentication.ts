import { createHash, timingSafeEqual } from 'node:crypto';
import type { Authentication } from '../api/authentication';
import { HttpError } from '../api/http-error';
import type { ServiceKeys } from '../config/secrets';
import { namesOfClientCertificate } from '../transport/peer-certificate';

/**
 * Authenticates calling services by HTTP Basic with name and key; the principal is the name. Over TLS the client
 * certificate must also be that of the caller, so that a key alone is of no use.
 * @param keys the keys of the services that may call, by name
 */
export function serviceKeyAuthentication(keys: ServiceKeys): Authentication<string> {
  const isAccepted = (name: string, presented: Buffer): boolean =>
    keys.acceptedFrom(name).some((key) => timingSafeEqual(digest(key), presented));
  return {
    scheme: 'service',
    authenticate: (request) => {
      const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? '') ?? [];
      const [name = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':');
      const presented = digest(rest.join(':'));
      // The caller may have read a new key before this service did.
      if (!isAccepted(name, presented)) keys.refresh();
      if (!isAccepted(name, presented))
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
