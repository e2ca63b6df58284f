import type { Sandbox } from '../sandbox';
import type { Scenario, TokenRules } from '../scenarios/scenario';
import type { PublicBase } from '../public-base';
import { signAccessToken } from './access-token';
import type { AccessClaims, CodeClaims, GrantClaims, RefreshClaims } from './grant';

const accessTokenSeconds = 3600;

/** The token rules of all scenarios; a later scenario overrides an earlier one. */
export function tokenRulesOf(scenarios: Scenario[]): TokenRules {
  return Object.assign({}, ...scenarios.map((scenario) => scenario.tokens ?? {})) as TokenRules;
}

/** How long access lasts after a grant, in seconds; undefined: as long as the client refreshes it. */
export function accessSeconds(scopes: readonly string[], rules: TokenRules): number | undefined {
  return issuesRefreshToken(scopes, rules) ? undefined : accessTokenSecondsOf(rules);
}

function accessTokenSecondsOf(rules: TokenRules): number {
  return rules.accessTokenSeconds ?? accessTokenSeconds;
}

function issuesRefreshToken(scopes: readonly string[], rules: TokenRules): boolean {
  return scopes.includes('offline_access') && rules.refresh !== 'never';
}

/** The sequence of the refresh token that is valid after this one was used. */
export function nextRefreshSequence(used: RefreshClaims, rules: TokenRules): number {
  const staysValid = rules.refresh === 'same' || rules.refresh === 'absent';
  return used.sequence + (staysValid ? 0 : 1);
}

/**
 * The token response for an accepted code or refresh token (RFC 6749, section 5.1).
 * @param claims of the code or refresh token
 */
export async function issueTokens(
  sandbox: Sandbox,
  publicBase: PublicBase,
  claims: CodeClaims | RefreshClaims,
  grantType: string,
  rules: TokenRules,
): Promise<Record<string, unknown>> {
  const { grantId, username, clientId, scopes, scenarios: names, base, release } = claims;
  const grant: GrantClaims = { grantId, username, clientId, scopes, scenarios: names, base, release };
  const seconds = accessTokenSecondsOf(rules);
  const now = sandbox.now();
  const access: AccessClaims = { ...grant, issuedAt: now, expiresAt: now + seconds * 1000 };
  const record = await sandbox.people.find(username)?.record(release);
  const patient = rules.user ? undefined : record?.patientId;
  const user = userOf(rules, username, record?.patientId);
  return {
    access_token: signAccessToken(sandbox, access, rules.accessTokenClaims?.(record?.patientId, grant)),
    token_type: 'Bearer',
    expires_in: seconds,
    scope: scopes.join(' '),
    ...(patient ? { patient } : {}),
    ...refreshTokenMember(sandbox, grant, claims, grantType, rules),
    ...(scopes.includes('openid') && grantType === 'authorization_code'
      ? { id_token: await idToken(sandbox, publicBase, claims as CodeClaims, user, now) }
      : {}),
  };
}

/** The reference of the user in `fhirUser`. */
function userOf({ user, otherUser }: TokenRules, username: string, patientId?: string): string | undefined {
  if (user !== undefined) return user === 'nobody' ? undefined : `${user}/${username}`;
  return patientId && (otherUser?.(patientId) ?? `Patient/${patientId}`);
}

function refreshTokenMember(
  sandbox: Sandbox,
  grant: GrantClaims,
  claims: CodeClaims | RefreshClaims,
  grantType: string,
  rules: TokenRules,
): { refresh_token?: string } {
  if (!issuesRefreshToken(grant.scopes, rules)) return {};
  const isRefresh = grantType === 'refresh_token';
  if (isRefresh && rules.refresh === 'absent') return {};
  const sequence = isRefresh ? nextRefreshSequence(claims as RefreshClaims, rules) : 0;
  return { refresh_token: sandbox.tokens.sign('refresh', { ...grant, sequence } satisfies RefreshClaims) };
}

function idToken(
  sandbox: Sandbox,
  publicBase: PublicBase,
  claims: CodeClaims,
  user: string | undefined,
  now: number,
): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  return sandbox.signingKey.sign({
    iss: `${publicBase.origin}${publicBase.prefix}`,
    sub: claims.username,
    aud: claims.clientId,
    iat: issuedAt,
    exp: issuedAt + 3600,
    ...(claims.scopes.includes('fhirUser') && user ? { fhirUser: `${claims.base}/${user}` } : {}),
    ...(claims.nonce === undefined ? {} : { nonce: claims.nonce }),
  });
}
