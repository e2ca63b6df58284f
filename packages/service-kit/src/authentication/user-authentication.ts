import { type ClientMode, mayWrite, userWriteScope } from '@tributary/contracts';
import type { Request } from 'express';
import type { Authentication } from '../api/authentication';
import { HttpError, badRequest } from '../api/http-error';
import type { AccessTokens } from './access-tokens';

/** The user of a bearer token, and the client that the token was issued to. */
export interface AuthenticatedUser {
  serviceUserId: number;
  clientId: string;
  mode: ClientMode;
  /** Whether the scope of the token allows changes. */
  mayWrite: boolean;
  /** Who acts for the client, by a token that a temporary secret gave. */
  developer?: string;
}

/** The 401 with `WWW-Authenticate` (RFC 6750, section 3); it carries no error code when no token was sent. */
export function bearerChallenge(tokenSent: boolean): HttpError {
  const challenge = tokenSent
    ? 'Bearer realm="tributary", error="invalid_token", error_description="the access token is not valid"'
    : 'Bearer realm="tributary"';
  return new HttpError(
    tokenSent ? 'invalid_token' : 'missing_token',
    tokenSent ? 'the access token is not valid' : 'send the access token as Authorization: Bearer <ACCESS_TOKEN>',
    { 'WWW-Authenticate': challenge },
  );
}

/**
 * The 403 for a token whose scope does not cover the request (RFC 6750, section 3.1).
 * @param scope the one that is necessary
 */
export function insufficientScope(message: string, scope?: string): HttpError {
  const necessary = scope === undefined ? '' : `, scope="${scope}"`;
  return new HttpError('insufficient_scope', message, {
    'WWW-Authenticate': `Bearer realm="tributary", error="insufficient_scope"${necessary}`,
  });
}

/** @throws HttpError 403 when the scope of the user's token only reads */
export function assertMayWrite(user: { mayWrite: boolean }): void {
  if (!user.mayWrite) throw insufficientScope('the scope of the access token does not allow changes', userWriteScope);
}

/**
 * The token of an `Authorization: Bearer` header. Undefined when there is no header or another scheme; such a request
 * gets a challenge without an error code (RFC 6750, section 3.1). Empty when the value is not a single token.
 * @throws HttpError 400 when there are two headers, which Node joins by a comma; no token contains one
 */
export function bearerTokenOf(request: Pick<Request, 'headers'>): string | undefined {
  const header = request.headers.authorization;
  if (header?.includes(',')) throw badRequest('Authorization is given twice');
  if (header === undefined || !/^Bearer(?: |$)/i.test(header)) return undefined;
  return /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
}

/** Authenticates users by their bearer token. */
export function accessTokenAuthentication(tokens: AccessTokens): Authentication<AuthenticatedUser> {
  return {
    scheme: 'bearer',
    authenticate: async (request, requestId) => {
      const token = bearerTokenOf(request);
      if (token === undefined) throw bearerChallenge(false);
      const live = await tokens.resolve(token, requestId, request);
      if (live?.service_user_id === undefined) throw bearerChallenge(true);
      return {
        serviceUserId: live.service_user_id,
        clientId: live.client_id,
        mode: live.mode,
        mayWrite: mayWrite(live.scope),
        ...(live.developer === undefined ? {} : { developer: live.developer }),
      };
    },
  };
}
