import type { Sandbox } from '../sandbox';
import type { Scenario, TokenRules } from '../scenarios/scenario';
import type { Site } from '../site';
import type { AccessFacts, CodeFacts, GrantFacts, RefreshFacts } from './grant';

const accessTokenSeconds = 3600;

/** The rules of all scenarios together; of two that speak of the same thing the later one wins. */
export function tokenRulesOf(scenarios: Scenario[]): TokenRules {
  return Object.assign({}, ...scenarios.map((scenario) => scenario.tokens ?? {})) as TokenRules;
}

/** The sequence of the refresh token that is in force after this one was used. */
export function nextRefreshSequence(used: RefreshFacts, rules: TokenRules): number {
  const goesOn = rules.refresh === 'same' || rules.refresh === 'absent';
  return used.sequence + (goesOn ? 0 : 1);
}

/** The answer of the token endpoint to a code or refresh token that has been accepted. */
export async function issueTokens(
  sandbox: Sandbox,
  site: Site,
  facts: CodeFacts | RefreshFacts,
  grantType: string,
  rules: TokenRules,
): Promise<Record<string, unknown>> {
  const { grantId, username, clientId, scopes, scenarios: names, base, release } = facts;
  const grant: GrantFacts = { grantId, username, clientId, scopes, scenarios: names, base, release };
  const seconds = rules.accessTokenSeconds ?? accessTokenSeconds;
  const now = sandbox.now();
  const access: AccessFacts = { ...grant, issuedAt: now, expiresAt: now + seconds * 1000 };
  const record = await sandbox.people.find(username)?.record(release);
  const patient = record?.patientId;
  return {
    access_token: sandbox.tokens.sign('access', access),
    token_type: 'Bearer',
    expires_in: seconds,
    scope: scopes.join(' '),
    ...(patient ? { patient } : {}),
    ...refreshMember(sandbox, grant, facts, grantType, rules),
    ...(scopes.includes('openid') && grantType === 'authorization_code'
      ? { id_token: await idToken(sandbox, site, facts as CodeFacts, patient, now) }
      : {}),
  };
}

function refreshMember(
  sandbox: Sandbox,
  grant: GrantFacts,
  facts: CodeFacts | RefreshFacts,
  grantType: string,
  rules: TokenRules,
): { refresh_token?: string } {
  const rule = rules.refresh ?? 'rotating';
  if (!grant.scopes.includes('offline_access') || rule === 'never') return {};
  const refreshed = grantType === 'refresh_token';
  if (refreshed && rule === 'absent') return {};
  const sequence = refreshed ? nextRefreshSequence(facts as RefreshFacts, rules) : 0;
  return { refresh_token: sandbox.tokens.sign('refresh', { ...grant, sequence } satisfies RefreshFacts) };
}

function idToken(
  sandbox: Sandbox,
  site: Site,
  facts: CodeFacts,
  patient: string | undefined,
  now: number,
): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  return sandbox.signingKey.sign({
    iss: `${site.origin}${site.prefix}`,
    sub: facts.username,
    aud: facts.clientId,
    iat: issuedAt,
    exp: issuedAt + 3600,
    ...(facts.scopes.includes('fhirUser') && patient ? { fhirUser: `${facts.base}/Patient/${patient}` } : {}),
    ...(facts.nonce === undefined ? {} : { nonce: facts.nonce }),
  });
}
