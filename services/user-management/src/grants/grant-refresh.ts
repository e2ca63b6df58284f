import type { HealthSystemAccess } from '@tributary/contracts';
import type { Logger } from 'pino';
import type { DataSource, Repository } from 'typeorm';
import type { Registrations } from '../health-systems/registrations';
import { type TokenAnswer, type TokenEndpoint, TokenRefused } from '../health-systems/token-endpoint';
import { NoAnswer } from '../outbound/outbound-http';
import { type Grant, grantEntity } from './grant';
import type { GrantTokens, Tokens } from './grant-tokens';
import { access } from './access';

export interface LostGrants {
  /** The health system takes the grant no more. `forGood`: nothing but a new authorization can change that. */
  lost(grantId: string, forGood: boolean): Promise<void>;
}

export interface GrantRefreshDependencies {
  source: DataSource;
  tokens: GrantTokens;
  registrations: Registrations;
  endpoint: TokenEndpoint;
  lostGrants: LostGrants;
  log: Logger;
}

/** Refreshes a grant; to be called under its lease. */
export class GrantRefresh {
  readonly #grants: Repository<Grant>;

  constructor(private readonly on: GrantRefreshDependencies) {
    this.#grants = on.source.getRepository(grantEntity);
  }

  /** The new token, stored before anybody gets to use it: the health system may have ended the old ones already. */
  async run(grant: Grant, held: Tokens): Promise<HealthSystemAccess | 'refused' | 'unreachable'> {
    const { grantId } = grant;
    if (!held.refresh_token) return this.#refused(grantId, 'no refresh token was issued', true);
    try {
      const answer = await this.#ask(grant, held.refresh_token);
      if (!answer) return await this.#refused(grantId, 'our client is not registered there any more', false);
      const columns = await this.on.tokens.seal(grant, answer, held);
      await this.#grants.update({ grantId, tokenId: grant.tokenId }, { ...columns, scope: answer.scope ?? grant.scope });
      return access(columns, answer);
    } catch (error) {
      if (!(error instanceof TokenRefused || error instanceof NoAnswer)) throw error;
      if (error instanceof TokenRefused && error.error === 'invalid_grant') return this.#refused(grantId, error.message, true);
      if (error instanceof TokenRefused && error.error === 'invalid_client') return this.#refused(grantId, error.message, false);
      this.on.log.warn({ grantId, reason: error.message }, 'a grant cannot be refreshed at the moment');
      return 'unreachable';
    }
  }

  async #ask(grant: Grant, refreshToken: string): Promise<TokenAnswer | undefined> {
    const client = await this.on.registrations.find(grant.fhirBaseUrl);
    if (!client) return undefined;
    return this.on.endpoint.request({
      tokenEndpoint: grant.tokenEndpoint,
      client,
      signingAlgorithms: grant.signingAlgorithms ?? undefined,
      remembered: grant.clientAuthentication,
      form: { grant_type: 'refresh_token', refresh_token: refreshToken },
    });
  }

  async #refused(grantId: string, reason: string, forGood: boolean): Promise<'refused'> {
    this.on.log.info({ grantId, reason }, 'a grant needs reauthorization');
    await this.on.lostGrants.lost(grantId, forGood);
    return 'refused';
  }
}
