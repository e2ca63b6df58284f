import { setTimeout as pause } from 'node:timers/promises';
import { type HealthSystemAccess, clientNotAcceptedCode } from '@tributary/contracts';
import { HttpError, unavailable } from '@tributary/service-kit';
import type { DataSource, Repository } from 'typeorm';
import { access } from './access';
import { type Grant, grantEntity } from './grant';
import type { GrantTokens, Tokens } from './grant-tokens';
import type { GrantRefresh } from './grant-refresh';
import { type HeldLease, RefreshLease } from './refresh-lease';

const patienceMs = 35_000;
const pollMs = 100;
const longestMarginMs = 60_000;

/** Gives live access tokens of grants. */
export class GrantAccessTokens {
  readonly #grants: Repository<Grant>;
  readonly #lease: RefreshLease;

  constructor(
    source: DataSource,
    private readonly tokens: GrantTokens,
    private readonly refresh: GrantRefresh,
  ) {
    this.#grants = source.getRepository(grantEntity);
    this.#lease = new RefreshLease(source);
  }

  /**
   * A live access token; one that is old, or that the health system refused, is refreshed first. Of all who ask at once, over all
   * replicas, one refreshes and the others wait for what comes of it.
   * @returns undefined when the health system takes the grant no more
   * @throws HttpError 409 `client_not_accepted` when the health system does not accept our client
   * @throws HttpError 503 when the health system cannot refresh it at the moment
   */
  async to(grantId: string, refusedTokenId: string | undefined): Promise<HealthSystemAccess | undefined> {
    const patientUntil = Date.now() + patienceMs;
    while (Date.now() < patientUntil) {
      const grant = await this.#grants.findOneBy({ grantId });
      if (!grant) return undefined;
      const held = await this.tokens.open(grant);
      if (isGood(grant, refusedTokenId, marginOf(grant))) return access(grant, held);
      const lease = await this.#lease.take(grant);
      if (lease) return await this.#refreshed(grant, held, lease, refusedTokenId);
      await pause(pollMs);
    }
    throw unavailable('the access to the health system is being renewed; try again shortly');
  }

  async #refreshed(
    grant: Grant,
    held: Tokens,
    lease: HeldLease,
    refusedTokenId: string | undefined,
  ): Promise<HealthSystemAccess | undefined> {
    try {
      const outcome = await this.refresh.run(grant, held, lease.signal);
      if (outcome === 'lost') return undefined;
      if (typeof outcome === 'object') return outcome;
      // Old but not dead: it may still serve while the token endpoint is away.
      if (isGood(grant, refusedTokenId, 0)) return access(grant, held);
      if (outcome === 'client not accepted')
        throw new HttpError(
          409,
          clientNotAcceptedCode,
          'the health system does not accept our client; the operator must correct its registration',
        );
      throw unavailable('the health system does not renew its access at the moment');
    } finally {
      await lease.giveBack();
    }
  }
}

function isGood({ tokenId, expiresAt }: Grant, refusedTokenId: string | undefined, marginMs: number): boolean {
  return tokenId !== refusedTokenId && (expiresAt === null || expiresAt.getTime() - marginMs > Date.now());
}

/** A minute before its end a token is old; of short-lived ones, when a fifth of their life is left. */
function marginOf({ obtainedAt, expiresAt }: Grant): number {
  return expiresAt ? Math.min(longestMarginMs, (expiresAt.getTime() - obtainedAt.getTime()) / 5) : 0;
}
