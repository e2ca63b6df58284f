import { createHash, timingSafeEqual } from 'node:crypto';
import type { Authentication } from '../api/authentication';
import { HttpError } from '../api/http-error';
import { claimService } from '../audit/claimed-agent';
import type { ServiceKeys } from '../config/secrets';
import { namesOfClientCertificate } from '../transport/peer-certificate';

/**
 * Authenticates the services that may call a route by HTTP Basic with name and key; the principal is the name. Over TLS
 * the client certificate must also be that of the caller, so that a key alone is of no use. Another service of the
 * suite is refused with 403: a stolen key opens the routes that its owner needs.
 * @param keys the keys of the services that may call any route of the API, by name
 * @param callers the names of the services that may call this route
 */
export function serviceKeyAuthentication(
  keys: ServiceKeys,
  callers: readonly [string, ...string[]],
): Authentication<string> {
  const known = knownServiceAuthentication(keys);
  return {
    ...known,
    authenticate: async (request, requestId) => {
      const name = await known.authenticate(request, requestId);
      if (callers.includes(name)) return name;
      claimService(request, name);
      throw new HttpError('caller_not_allowed', `${name} is not a service that may call this route`);
    },
  };
}

/** Authenticates every service that may call some route of the API. */
export function knownServiceAuthentication(keys: ServiceKeys): Authentication<string> {
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
