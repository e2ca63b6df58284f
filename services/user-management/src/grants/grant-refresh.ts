import { type HealthSystemAccess, type RetryPolicy, withRetries } from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
import { OutboundRequestFailed } from '@tributary/outbound';
import { describeError } from '@tributary/service-kit';
import type { LostGrantReason } from '../connections/connection-errors';
import { requireReauthorization } from '../connections/require-reauthorization';
import type { Dependencies } from '../dependencies';
import { transientClientErrors } from '../health-systems/authorization-server';
import { TokenRefused, type TokenRequest, type TokenResponse, isClientError } from '../health-systems/token-client';
import { recordRefreshFailure } from '../outcomes/connect-outcomes';
import { enqueueRevocation } from '../revocations/revocation-queue';
import { unlessInactive } from '../users/user-errors';
import { type ClientProblem, type Grant, grantEntity } from './grant';
import {
  type TokenColumns,
  type TokenSet,
  healthSystemAccess,
  openTokens,
  sealTokens,
  tokenSetOf,
} from './grant-tokens';
import type { NotDue } from './refresh-lease';
import {
  countRefusal,
  hasIssuedToOthers,
  nextRefreshAfterSuccess,
  postponeRefresh,
  takeProbe,
} from './refresh-schedule';

type FailedRefresh = 'grant_lost' | 'client_not_accepted' | NotDue;

/**
 * Storing new tokens is retried for five minutes: a health system that rotates refresh tokens has already revoked the
 * old ones.
 */
const storePolicy: RetryPolicy = { firstPauseMs: 200, maxPauseMs: 5_000, maxElapsedMs: 300_000 };

/**
 * Refreshes a grant (RFC 6749, section 6), and stores the new tokens before it returns the access token. To be called
 * under the refresh lease of the grant.
 * @param signal aborted when the lease is lost: then no further request is sent
 * @returns `NotDue` when the refresh has failed, and the next one is due at that time
 */
export async function refreshGrant(
  dependencies: Dependencies,
  grant: Grant,
  current: TokenSet,
  signal: AbortSignal,
): Promise<HealthSystemAccess | FailedRefresh> {
  if (!current.refresh_token) return loseGrant(dependencies, grant, 'no_refresh_token', 'no refresh token was issued');
  const registration = await dependencies.registrations.find(grant.fhirBaseUrl);
  if (!registration) return clientNotAccepted(dependencies, grant, 'not_registered');
  const request = {
    tokenEndpoint: grant.tokenEndpoint,
    registration,
    signingAlgorithms: grant.signingAlgorithms ?? undefined,
    lastAcceptedMethod: grant.clientAuthenticationMethod,
    signal,
  };
  try {
    const response = await dependencies.tokenClient.request({
      ...request,
      form: { grant_type: 'refresh_token', refresh_token: current.refresh_token },
      // The method was accepted before: only a clear error leads to another one, and not each time.
      triesNextMethod: (refusal) => grant.refreshFailures === 0 && isClientError(refusal),
    });
    return await storeTokens(dependencies, grant, current, response);
  } catch (error) {
    if (error instanceof TokenRefused) return refused(dependencies, grant, error, request);
    if (error instanceof OutboundRequestFailed) return postponed(dependencies, grant, error.message);
    throw error;
  }
}

async function refused(
  dependencies: Dependencies,
  grant: Grant,
  refusal: TokenRefused,
  request: Omit<TokenRequest, 'form'>,
): Promise<FailedRefresh> {
  const { database, log } = dependencies;
  const stated = subjectOfRefusal(refusal);
  if (stated === 'outage') return postponed(dependencies, grant, refusal.message, refusal.retryAfterSeconds);
  if (stated === 'grant_ended') return loseGrant(dependencies, grant, 'refresh_refused', refusal.message);
  const isClientAccepted = await hasIssuedToOthers(database, grant);
  const subject = stated === 'unclear' && !isClientAccepted ? await investigate(dependencies, grant, request) : stated;
  // Some systems report an invalid refresh token with an error of the client, although they accept the client.
  if (subject === 'client' && !isClientAccepted) return clientNotAccepted(dependencies, grant, 'refused');
  const isClear = subject === 'grant' || isClientAccepted;
  const { isLost, seconds } = await countRefusal(database, grant, isClear);
  if (isClear) grant.clientProblem = null; // As in its row.
  log.warn({ grantId: grant.grantId, reason: refusal.message, isLost }, 'a refresh was refused');
  if (isLost) return loseGrant(dependencies, grant, 'refresh_refused', refusal.message);
  await recordRefreshFailure(database.manager, grant.grantId, 'refused');
  return { retryAfterSeconds: seconds };
}

/**
 * Finds out what an unclear refusal is about: a health system that refuses only the refresh token accepts our client
 * with a made-up authorization code. The number of such requests is limited; what they have found out about our client
 * holds for later refusals.
 */
async function investigate(
  { database, tokenClient }: Dependencies,
  grant: Grant,
  request: Omit<TokenRequest, 'form'>,
): Promise<RefusalSubject> {
  if (!(await takeProbe(database, grant))) return grant.clientProblem === 'refused' ? 'client' : 'unclear';
  const method = await tokenClient.acceptedMethod(request);
  if (method === 'refused') return 'client';
  if (method === 'unknown') return 'unclear';
  if (method === request.lastAcceptedMethod) return 'grant';
  // The health system has changed the method; the next refresh uses it.
  const { grantId } = grant;
  await database.getRepository(grantEntity).update({ grantId }, { clientAuthenticationMethod: method });
  return 'unclear';
}

async function postponed(
  { database, log }: Dependencies,
  grant: Grant,
  reason: string,
  retryAfterSeconds?: number,
): Promise<NotDue> {
  log.warn({ grantId: grant.grantId, reason }, 'a grant cannot be refreshed at the moment');
  await recordRefreshFailure(database.manager, grant.grantId, 'unavailable');
  return { retryAfterSeconds: await postponeRefresh(database, grant, retryAfterSeconds) };
}

/** Retries while the database is unavailable. When the grant was deleted meanwhile, its new tokens are revoked. */
async function storeTokens(
  dependencies: Dependencies,
  grant: Grant,
  previous: TokenSet,
  response: TokenResponse,
): Promise<HealthSystemAccess | 'grant_lost'> {
  const { grantId, serviceUserId } = grant;
  const key = await unlessInactive(() => dependencies.keys.ofUser(serviceUserId));
  const columns = key && sealTokens(key, grantId, response, previous);
  const storeOrRevoke = async (): Promise<HealthSystemAccess | 'grant_lost'> => {
    try {
      const stored = key && columns && (await updateGrant(dependencies, grant, key, columns, response));
      if (!stored) await revokeTokens(dependencies, grant, previous, response);
      return stored ?? 'grant_lost';
    } catch (error) {
      const err = describeError(error);
      dependencies.log.warn({ grantId, err }, 'new tokens could not be stored; trying again');
      throw error;
    }
  };
  return withRetries(storePolicy, storeOrRevoke, { isRetryable: () => true });
}

/** @returns undefined when the grant was deleted */
async function updateGrant(
  { database }: Dependencies,
  { grantId, tokenId, scope }: Grant,
  key: DataKey,
  columns: TokenColumns,
  response: TokenResponse,
): Promise<HealthSystemAccess | undefined> {
  const grants = database.getRepository(grantEntity);
  const { affected } = await grants.update(
    { grantId, tokenId },
    {
      ...columns,
      scope: response.scope ?? scope,
      refreshFailures: 0,
      refreshRefusals: 0,
      refusedSince: null,
      refusalProbes: 0,
      nextRefreshAt: () => nextRefreshAfterSuccess,
      issuedAt: () => 'now()',
      clientProblem: null,
      clientProblemSince: null,
    },
  );
  if (affected === 1) return healthSystemAccess(columns, response);
  // Stored by an earlier attempt whose response was lost, or by another process after this one lost the lease.
  const stored = await grants.findOneBy({ grantId });
  return stored ? healthSystemAccess(stored, openTokens(key, stored)) : undefined;
}

async function revokeTokens(
  { database, keys }: Dependencies,
  { serviceUserId, fhirBaseUrl }: Grant,
  previous: TokenSet,
  response: TokenResponse,
): Promise<void> {
  await enqueueRevocation(database.manager, await keys.of('token-revocations'), {
    serviceUserId,
    fhirBaseUrl,
    supersededBy: [fhirBaseUrl],
    fhirVersion: 'r4',
    clientAuthenticationMethod: response.clientAuthenticationMethod,
    tokens: tokenSetOf(response, previous),
  });
}

async function loseGrant(
  dependencies: Dependencies,
  grant: Grant,
  cause: LostGrantReason,
  reason: string,
): Promise<'grant_lost'> {
  dependencies.log.info({ grantId: grant.grantId, reason }, 'a grant needs reauthorization');
  await requireReauthorization(dependencies, grant, cause);
  return 'grant_lost';
}

async function clientNotAccepted(
  { clientProblems }: Dependencies,
  grant: Grant,
  problem: ClientProblem,
): Promise<'client_not_accepted'> {
  await clientProblems.record(grant, problem);
  return 'client_not_accepted';
}

/**
 * What a refused refresh is about:
 *
 * - `grant_ended`: `invalid_grant`. The refresh token is not valid any more.
 * - `grant`: another error of the token endpoint. Some systems report an invalid refresh token so, for example with
 *   `invalid_request`.
 * - `client`: our client is not accepted.
 * - `unclear`: a 401, or a 4xx without an error code. It can be about the refresh token, about our client, or come from
 *   a gateway that refuses every request.
 * - `outage`: a later request may succeed.
 */
type RefusalSubject = 'grant_ended' | 'grant' | 'client' | 'unclear' | 'outage';

/** Error codes of outages, which some systems send with 400. */
const outageErrors = new Set(['server_error', 'temporarily_unavailable', 'slow_down']);

function subjectOfRefusal(refusal: TokenRefused): RefusalSubject {
  const { status, error } = refusal;
  if (error === 'invalid_grant') return 'grant_ended';
  if (isClientError(refusal)) return 'client';
  if (transientClientErrors.has(status) || (error !== undefined && outageErrors.has(error))) return 'outage';
  // Some systems send error responses with status 200.
  if (status === 400 || (error !== undefined && status !== 401 && status < 500)) return 'grant';
  return status >= 400 && status < 500 ? 'unclear' : 'outage';
}
