import { setTimeout as pause } from 'node:timers/promises';
import {
  type AccessTokenRequest,
  type HealthSystemAccess,
  clientNotAcceptedCode,
  refreshPostponedCode,
} from '@tributary/contracts';
import { HttpError, unavailable } from '@tributary/service-kit';
import type { Dependencies } from '../dependencies';
import { type Grant, grantEntity } from './grant';
import { refreshGrant } from './grant-refresh';
import { healthSystemAccess, openTokens } from './grant-tokens';
import { type NotDue, takeRefreshLease } from './refresh-lease';

/** Shorter than the time limit of the worker's request (45 seconds, `ConnectionsClient` of contracts). */
const maxWaitMs = 35_000;
const pollMs = 100;
const maxMarginMs = 60_000;

/**
 * A valid access token of a grant, for the worker. A token that expires soon, or that the health system rejected, is
 * refreshed first: of concurrent requests on all replicas one refreshes under a lease, and the others poll for its
 * result. After a failure no request is sent until the next refresh is due.
 * @param request names the token that the health system rejected, if there is one
 * @returns undefined when the health system does not accept the grant any more
 * @throws HttpError 409 `client_not_accepted` when the health system does not accept our client
 * @throws HttpError 503 `refresh_postponed` with `Retry-After` when the token cannot be refreshed at the moment
 */
export async function accessTokenOf(
  dependencies: Dependencies,
  grantId: string,
  { refused_token_id: refusedTokenId, never_accepted: wasNeverAccepted = false }: AccessTokenRequest,
): Promise<HealthSystemAccess | undefined> {
  const { database, keys } = dependencies;
  const deadline = Date.now() + maxWaitMs;
  while (Date.now() < deadline) {
    const grant = await database.getRepository(grantEntity).findOneBy({ grantId });
    if (!grant) return undefined;
    const tokens = openTokens(await keys.ofUser(grant.serviceUserId), grant);
    if (isValid(grant, refusedTokenId, refreshMarginMs(grant))) return healthSystemAccess(grant, tokens);
    const isTokenUseless = wasNeverAccepted && refusedTokenId === grant.tokenId;
    const lease = await takeRefreshLease(database, grant, isTokenUseless);
    if (lease) {
      const outcome =
        'release' in lease
          ? await refreshGrant(dependencies, grant, tokens, lease.signal).finally(() => lease.release())
          : lease;
      if (outcome === 'grant_lost') continue; // Or another process has refreshed it meanwhile.
      if (typeof outcome === 'object' && 'access_token' in outcome) return outcome;
      // The token is close to its expiry but still valid: use it while the token endpoint is unavailable.
      if (isValid(grant, refusedTokenId, 0)) return healthSystemAccess(grant, tokens);
      throw await failureOf(dependencies, grant, outcome);
    }
    await pause(pollMs);
  }
  throw unavailable('the access to the health system is being renewed; try again shortly');
}

async function failureOf(
  { clientProblems }: Dependencies,
  grant: Grant,
  outcome: 'client_not_accepted' | NotDue,
): Promise<HttpError> {
  if (outcome !== 'client_not_accepted') {
    if (!grant.clientProblem)
      return new HttpError(refreshPostponedCode, 'the health system does not renew its access at the moment', {
        'Retry-After': String(outcome.retryAfterSeconds),
      });
    await clientProblems.record(grant, grant.clientProblem, true);
  }
  return new HttpError(
    clientNotAcceptedCode,
    'the health system does not accept our client; the operator must correct its registration',
  );
}

function isValid({ tokenId, expiresAt }: Grant, refusedTokenId: string | undefined, marginMs: number): boolean {
  return tokenId !== refusedTokenId && (expiresAt === null || expiresAt.getTime() - marginMs > Date.now());
}

/** A token is refreshed a minute before it expires; a short-lived one when a fifth of its lifetime is left. */
function refreshMarginMs({ obtainedAt, expiresAt }: Grant): number {
  return expiresAt ? Math.min(maxMarginMs, (expiresAt.getTime() - obtainedAt.getTime()) / 5) : 0;
}
