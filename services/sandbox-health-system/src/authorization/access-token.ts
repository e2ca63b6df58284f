import type { Sandbox } from '../sandbox';
import type { AccessClaims } from './grant';

const jwtHeader = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url');

/** An access token. With claims of its own it has the form of a JWT, so that a client can read them. */
export function signAccessToken(sandbox: Sandbox, access: AccessClaims, claims?: Record<string, unknown>): string {
  return claims === undefined
    ? sandbox.tokens.sign('access', access)
    : `${jwtHeader}.${sandbox.tokens.sign('access', { ...access, ...claims })}`;
}

/** The claims of an access token; undefined when it is not valid. */
export function verifyAccessToken(sandbox: Sandbox, token: string): AccessClaims | undefined {
  const isJwt = token.startsWith(`${jwtHeader}.`);
  return sandbox.tokens.verify<AccessClaims>('access', isJwt ? token.slice(jwtHeader.length + 1) : token);
}
