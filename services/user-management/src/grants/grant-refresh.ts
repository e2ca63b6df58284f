import { type HealthSystemAccess, type RetryPolicy, withRetries } from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
import { OutboundRequestFailed } from '@tributary/outbound';
import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource, Repository } from 'typeorm';
import type { LostGrantReason } from '../connections/connection-errors';
import type { ConsentEvents } from '../consent/consent-events';
import { requireReauthorization } from '../connections/require-reauthorization';
import type { DataKeys } from '../database/data-keys';
import type { Registrations } from '../health-systems/registrations';
import {
  type TokenClient,
  TokenRefused,
  type TokenRequest,
  type TokenResponse,
  isClientError,
} from '../health-systems/token-client';
import { recordRefreshFailure } from '../outcomes/connect-outcomes';
import { enqueueRevocation } from '../revocations/revocation-queue';
import { unlessInactive } from '../users/user-errors';
import type { ClientProblems } from './client-problems';
import { type ClientProblem, type Grant, grantEntity } from './grant';
import { type TokenColumns, type TokenSet, healthSystemAccess, openTokens, sealTokens } from './grant-tokens';
import type { NotDue } from './refresh-lease';
import { type RefusalSubject, subjectOfRefusal } from './refresh-refusal';
import {
  countRefusal,
  hasIssuedToOthers,
  nextRefreshAfterSuccess,
  postponeRefresh,
  takeProbe,
} from './refresh-schedule';

export interface GrantRefreshDependencies {
  database: DataSource;
  consentEvents: ConsentEvents;
  keys: DataKeys;
  registrations: Registrations;
  tokenClient: TokenClient;
  clientProblems: ClientProblems;
  /** The delay after the first failure, in seconds. */
  firstDelaySeconds: number;
  log: Logger;
}

/** `NotDue`: the refresh has failed, and the next one is due at that time. */
export type RefreshOutcome = HealthSystemAccess | 'grant_lost' | 'client_not_accepted' | NotDue;

/**
 * Storing new tokens is retried for five minutes: a health system that rotates refresh tokens has already revoked the
 * old ones.
 */
const storePolicy: RetryPolicy = { firstPauseMs: 200, maxPauseMs: 5_000, maxElapsedMs: 300_000 };

/** Refreshes grants (RFC 6749, section 6). To be called under the refresh lease of the grant. */
export class GrantRefresh {
  readonly #grants: Repository<Grant>;

  constructor(private readonly on: GrantRefreshDependencies) {
    this.#grants = on.database.getRepository(grantEntity);
  }

  /**
   * Refreshes a grant, and stores the new tokens before it returns the access token.
   * @param signal aborted when the lease is lost: then no further request is sent
   */
  async run(grant: Grant, current: TokenSet, signal: AbortSignal): Promise<RefreshOutcome> {
    if (!current.refresh_token) return this.#grantLost(grant, 'no_refresh_token', 'no refresh token was issued');
    const registration = await this.on.registrations.find(grant.fhirBaseUrl);
    if (!registration) return this.#clientNotAccepted(grant, 'not_registered');
    const request = {
      tokenEndpoint: grant.tokenEndpoint,
      registration,
      signingAlgorithms: grant.signingAlgorithms ?? undefined,
      lastAcceptedMethod: grant.clientAuthenticationMethod,
      signal,
    };
    try {
      const response = await this.on.tokenClient.request({
        ...request,
        form: { grant_type: 'refresh_token', refresh_token: current.refresh_token },
        // The method was accepted before: only a clear error leads to another one, and not each time.
        triesNextMethod: (refusal) => grant.refreshFailures === 0 && isClientError(refusal),
      });
      return await this.#store(grant, current, response);
    } catch (error) {
      if (error instanceof TokenRefused) return this.#refused(grant, error, request);
      if (error instanceof OutboundRequestFailed) return this.#postponed(grant, error.message);
      throw error;
    }
  }

  async #refused(
    grant: Grant,
    refusal: TokenRefused,
    request: Omit<TokenRequest, 'form'>,
  ): Promise<Exclude<RefreshOutcome, HealthSystemAccess>> {
    const { database, log } = this.on;
    const stated = subjectOfRefusal(refusal);
    if (stated === 'outage') return this.#postponed(grant, refusal.message, refusal.retryAfterSeconds);
    if (stated === 'grant_ended') return this.#grantLost(grant, 'refresh_refused', refusal.message);
    const isClientAccepted = await hasIssuedToOthers(database, grant);
    const subject = stated === 'unclear' && !isClientAccepted ? await this.#investigate(grant, request) : stated;
    // Some systems report an invalid refresh token with an error of the client, although they accept the client.
    if (subject === 'client' && !isClientAccepted) return this.#clientNotAccepted(grant, 'refused');
    const isClear = subject === 'grant' || isClientAccepted;
    const { isLost, seconds } = await countRefusal(database, grant, isClear);
    if (isClear) grant.clientProblem = null; // As in its row.
    log.warn({ grantId: grant.grantId, reason: refusal.message, isLost }, 'a refresh was refused');
    if (isLost) return this.#grantLost(grant, 'refresh_refused', refusal.message);
    await recordRefreshFailure(database.manager, grant.grantId, 'refused');
    return { retryAfterSeconds: seconds };
  }

  /**
   * Finds out what an unclear refusal is about: a health system that refuses only the refresh token accepts our client
   * with a made-up authorization code. The number of such requests is limited; what they have found out about our
   * client holds for later refusals.
   */
  async #investigate(
    grant: Grant,
    request: Omit<TokenRequest, 'form'>,
  ): Promise<Extract<RefusalSubject, 'grant' | 'client' | 'unclear'>> {
    const { grantId } = grant;
    if (!(await takeProbe(this.on.database, grant))) return grant.clientProblem === 'refused' ? 'client' : 'unclear';
    const method = await this.on.tokenClient.acceptedMethod(request);
    if (method === 'refused') return 'client';
    if (method === 'unknown') return 'unclear';
    if (method === request.lastAcceptedMethod) return 'grant';
    // The health system has changed the method; the next refresh uses it.
    await this.#grants.update({ grantId }, { clientAuthenticationMethod: method });
    return 'unclear';
  }

  async #postponed(grant: Grant, reason: string, retryAfterSeconds?: number): Promise<NotDue> {
    this.on.log.warn({ grantId: grant.grantId, reason }, 'a grant cannot be refreshed at the moment');
    await recordRefreshFailure(this.on.database.manager, grant.grantId, 'unavailable');
    return { retryAfterSeconds: await postponeRefresh(this.on.database, grant, retryAfterSeconds) };
  }

  /** Retries while the database is unavailable. When the grant was deleted meanwhile, its new tokens are revoked. */
  async #store(grant: Grant, previous: TokenSet, response: TokenResponse): Promise<HealthSystemAccess | 'grant_lost'> {
    const { grantId, serviceUserId } = grant;
    const key = await unlessInactive(() => this.on.keys.ofUser(serviceUserId));
    const columns = key && sealTokens(key, grantId, response, previous);
    const storeOrRevoke = async (): Promise<HealthSystemAccess | 'grant_lost'> => {
      try {
        const stored = key && columns && (await this.#update(grant, key, columns, response));
        return stored ?? (await this.#revoke(grant, previous, response));
      } catch (error) {
        this.on.log.warn({ grantId, err: describeError(error) }, 'new tokens could not be stored; trying again');
        throw error;
      }
    };
    return withRetries(storePolicy, storeOrRevoke, { isRetryable: () => true });
  }

  /** @returns undefined when the grant was deleted */
  async #update(
    { grantId, tokenId, scope }: Grant,
    key: DataKey,
    columns: TokenColumns,
    response: TokenResponse,
  ): Promise<HealthSystemAccess | undefined> {
    const { affected } = await this.#grants.update(
      { grantId, tokenId },
      {
        ...columns,
        scope: response.scope ?? scope,
        refreshFailures: 0,
        refreshRefusals: 0,
        refusedSince: null,
        refusalProbes: 0,
        nextRefreshAt: () => nextRefreshAfterSuccess(this.on.firstDelaySeconds),
        issuedAt: () => 'now()',
        clientProblem: null,
        clientProblemSince: null,
      },
    );
    if (affected === 1) return healthSystemAccess(columns, response);
    // Stored by an earlier attempt whose response was lost, or by another process after this one lost the lease.
    const stored = await this.#grants.findOneBy({ grantId });
    if (!stored) return undefined;
    return stored.tokenId === columns.tokenId
      ? healthSystemAccess(columns, response)
      : healthSystemAccess(stored, openTokens(key, stored));
  }

  async #revoke(
    { serviceUserId, fhirBaseUrl }: Grant,
    previous: TokenSet,
    { access_token, refresh_token = previous.refresh_token, clientAuthenticationMethod }: TokenResponse,
  ): Promise<'grant_lost'> {
    const tokens = { access_token, ...(refresh_token ? { refresh_token } : {}) };
    const { database, keys } = this.on;
    await enqueueRevocation(database.manager, await keys.ofTokenRevocations(), {
      serviceUserId,
      fhirBaseUrl,
      supersededBy: [fhirBaseUrl],
      fhirVersion: 'r4',
      clientAuthenticationMethod,
      tokens,
    });
    return 'grant_lost';
  }

  async #grantLost(grant: Grant, cause: LostGrantReason, reason: string): Promise<'grant_lost'> {
    this.on.log.info({ grantId: grant.grantId, reason }, 'a grant needs reauthorization');
    await requireReauthorization(this.on.database, this.on.consentEvents, grant, cause);
    return 'grant_lost';
  }

  async #clientNotAccepted(grant: Grant, problem: ClientProblem): Promise<'client_not_accepted'> {
    await this.on.clientProblems.record(grant, problem);
    return 'client_not_accepted';
  }
}
