import { verifyAccessToken } from '../authorization/access-token';
import type { AccessClaims } from '../authorization/grant';
import type { Sandbox } from '../sandbox';
import { FhirProblem } from './operation-outcome';

/** The claims of the access token of a request. @throws FhirProblem with status 401 (RFC 6750) */
export function bearerGrant(sandbox: Sandbox, authorization: string | undefined): AccessClaims {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (!token) throw unauthorized('a bearer token is due here');
  const claims = verifyAccessToken(sandbox, token);
  if (!claims) throw unauthorized('the access token is not valid', 'invalid_token');
  const state = sandbox.grants.of(claims.grantId);
  if (state.revoked) throw unauthorized('the access was ended', 'invalid_token');
  if (claims.expiresAt <= sandbox.now() || claims.issuedAt < state.accessDeadBefore)
    throw unauthorized('the access token has expired', 'invalid_token');
  return claims;
}

function unauthorized(reason: string, error?: string): FhirProblem {
  const challenge = `Bearer realm="sandbox"${error === undefined ? '' : `, error="${error}", error_description="${reason}"`}`;
  return new FhirProblem(401, 'login', reason, { 'WWW-Authenticate': challenge });
}
