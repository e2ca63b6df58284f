import type { AccessFacts } from '../authorization/grant';
import type { Sandbox } from '../sandbox';
import { FhirProblem } from './operation-outcome';

/** The grant behind the bearer token of a request. */
export function bearerGrant(sandbox: Sandbox, authorization: string | undefined): AccessFacts {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (!token) throw unauthorized('a bearer token is due here');
  const facts = sandbox.tokens.verify<AccessFacts>('access', token);
  if (!facts) throw unauthorized('the access token is not valid', 'invalid_token');
  const state = sandbox.grants.of(facts.grantId);
  if (state.revoked) throw unauthorized('the access was ended', 'invalid_token');
  if (facts.expiresAt <= sandbox.now() || facts.issuedAt < state.accessDeadBefore)
    throw unauthorized('the access token has expired', 'invalid_token');
  return facts;
}

function unauthorized(reason: string, error?: string): FhirProblem {
  const challenge = `Bearer realm="sandbox"${error === undefined ? '' : `, error="${error}", error_description="${reason}"`}`;
  return new FhirProblem(401, 'login', reason, { 'WWW-Authenticate': challenge });
}
