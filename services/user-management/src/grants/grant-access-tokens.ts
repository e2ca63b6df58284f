import { setTimeout as pause } from 'node:timers/promises';
import { type HealthSystemAccess, clientNotAcceptedCode } from '@tributary/contracts';
import { HttpError, unavailable } from '@tributary/service-kit';
import type { DataSource, Repository } from 'typeorm';
import type { DataKeys } from '../database/data-keys';
import { type Grant, grantEntity } from './grant';
import type { GrantRefresh } from './grant-refresh';
import { type TokenSet, healthSystemAccess, openTokens } from './grant-tokens';
import { type HeldLease, takeRefreshLease } from './refresh-lease';

/** Shorter than the time limit of the worker's request (45 seconds, `ConnectionsClient` of contracts). */
const maxWaitMs = 35_000;
const pollMs = 100;
const maxMarginMs = 60_000;

/** Gives the worker valid access tokens of grants. */
export class GrantAccessTokens {
  readonly #grants: Repository<Grant>;

  constructor(
    private readonly database: DataSource,
    private readonly keys: DataKeys,
    private readonly refresh: GrantRefresh,
  ) {
    this.#grants = database.getRepository(grantEntity);
  }

  /**
   * A valid access token of a grant. A token that expires soon, or that the health system rejected, is refreshed first:
   * of concurrent requests on all replicas one refreshes under a lease, and the others poll for its result.
   * @param refusedTokenId the `token_id` of the token that the health system rejected
   * @returns undefined when the health system does not accept the grant any more
   * @throws HttpError 409 `client_not_accepted` when the health system does not accept our client
   * @throws HttpError 503 when the token cannot be refreshed at the moment
   */
  async get(grantId: string, refusedTokenId: string | undefined): Promise<HealthSystemAccess | undefined> {
    const deadline = Date.now() + maxWaitMs;
    while (Date.now() < deadline) {
      const grant = await this.#grants.findOneBy({ grantId });
      if (!grant) return undefined;
      const tokens = openTokens(await this.keys.ofUser(grant.serviceUserId), grant);
      if (isValid(grant, refusedTokenId, refreshMarginMs(grant))) return healthSystemAccess(grant, tokens);
      const lease = await takeRefreshLease(this.database, grant);
      if (lease) return await this.#refreshUnder(lease, grant, tokens, refusedTokenId);
      await pause(pollMs);
    }
    throw unavailable('the access to the health system is being renewed; try again shortly');
  }

  async #refreshUnder(
    lease: HeldLease,
    grant: Grant,
    tokens: TokenSet,
    refusedTokenId: string | undefined,
  ): Promise<HealthSystemAccess | undefined> {
    try {
      const outcome = await this.refresh.run(grant, tokens, lease.signal);
      if (outcome === 'grant_lost') return undefined;
      if (typeof outcome === 'object') return outcome;
      // The token is close to its expiry but still valid: use it while the token endpoint is unavailable.
      if (isValid(grant, refusedTokenId, 0)) return healthSystemAccess(grant, tokens);
      if (outcome === 'client_not_accepted')
        throw new HttpError(
          409,
          clientNotAcceptedCode,
          'the health system does not accept our client; the operator must correct its registration',
        );
      throw unavailable('the health system does not renew its access at the moment');
    } finally {
      await lease.release();
    }
  }
}

function isValid({ tokenId, expiresAt }: Grant, refusedTokenId: string | undefined, marginMs: number): boolean {
  return tokenId !== refusedTokenId && (expiresAt === null || expiresAt.getTime() - marginMs > Date.now());
}

/** A token is refreshed a minute before it expires; a short-lived one when a fifth of its lifetime is left. */
function refreshMarginMs({ obtainedAt, expiresAt }: Grant): number {
  return expiresAt ? Math.min(maxMarginMs, (expiresAt.getTime() - obtainedAt.getTime()) / 5) : 0;
}
