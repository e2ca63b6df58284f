import { setTimeout as pause } from 'node:timers/promises';
import type { HealthSystemAccess } from '@tributary/contracts';
import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource, Repository } from 'typeorm';
import type { Registrations } from '../health-systems/registrations';
import { type TokenResponse, type TokenEndpoint, TokenRefused } from '../health-systems/token-endpoint';
import { OutboundRequestFailed } from '../outbound/outbound-http';
import type { TokenRevocations } from '../revocations/token-revocations';
import { unlessInactive } from '../users/user-keys';
import { access } from './access';
import { type ClientProblem, type Grant, grantEntity } from './grant';
import type { GrantTokens, Tokens } from './grant-tokens';

/** Hears how grants end, and why they cannot be refreshed. */
export interface GrantEvents {
  /** The health system takes the grant no more, and only a new authorization helps. */
  lost(grant: Grant): Promise<void>;
  /** The health system does not accept our client: only the operator can mend that. */
  clientNotAccepted(grant: Grant, problem: ClientProblem): Promise<void>;
}

export interface GrantRefreshDependencies {
  source: DataSource;
  tokens: GrantTokens;
  registrations: Registrations;
  endpoint: TokenEndpoint;
  events: GrantEvents;
  revocations: TokenRevocations;
  log: Logger;
}

export type RefreshOutcome = HealthSystemAccess | 'lost' | 'client not accepted' | 'unreachable';

/** How long it is tried to store new tokens: a health system that rotates them has ended the old ones already. */
const storeForMs = 300_000;
const longestPauseMs = 5_000;

/** Refreshes a grant; to be called under its lease. */
export class GrantRefresh {
  readonly #grants: Repository<Grant>;

  constructor(private readonly on: GrantRefreshDependencies) {
    this.#grants = on.source.getRepository(grantEntity);
  }

  /**
   * The new token, stored before anybody gets to use it.
   * @param signal aborted when the lease is lost: then no further request is sent
   */
  async run(grant: Grant, held: Tokens, signal: AbortSignal): Promise<RefreshOutcome> {
    if (!held.refresh_token) return this.#lost(grant, 'no refresh token was issued');
    try {
      const answer = await this.#ask(grant, held.refresh_token, signal);
      if (!answer) return await this.#clientNotAccepted(grant, 'not_registered');
      return await this.#store(grant, held, answer);
    } catch (error) {
      if (!(error instanceof TokenRefused || error instanceof OutboundRequestFailed)) throw error;
      if (error instanceof TokenRefused && error.error === 'invalid_grant') return this.#lost(grant, error.message);
      if (error instanceof TokenRefused && isAboutOurClient(error)) return this.#clientNotAccepted(grant, 'refused');
      this.on.log.warn({ grantId: grant.grantId, reason: error.message }, 'a grant cannot be refreshed at the moment');
      return 'unreachable';
    }
  }

  async #ask(grant: Grant, refreshToken: string, signal: AbortSignal): Promise<TokenResponse | undefined> {
    const client = await this.on.registrations.find(grant.fhirBaseUrl);
    if (!client) return undefined;
    return this.on.endpoint.request({
      tokenEndpoint: grant.tokenEndpoint,
      client,
      signingAlgorithms: grant.signingAlgorithms ?? undefined,
      remembered: grant.clientAuthentication,
      form: { grant_type: 'refresh_token', refresh_token: refreshToken },
      signal,
    });
  }

  /** Tries again in place while the database is away. Tokens of a grant that was forgotten meanwhile are revoked. */
  async #store(grant: Grant, held: Tokens, answer: TokenResponse): Promise<HealthSystemAccess | 'lost'> {
    const { grantId, tokenId } = grant;
    const columns = await unlessInactive(() => this.on.tokens.seal(grant, answer, held));
    const until = Date.now() + storeForMs;
    for (let attempt = 0; ; attempt++) {
      try {
        if (!columns) return await this.#revoke(grant, held, answer);
        const { affected } = await this.#grants.update(
          { grantId, tokenId },
          { ...columns, scope: answer.scope ?? grant.scope, clientProblem: null, clientProblemSince: null },
        );
        if (affected === 1) return access(columns, answer);
        // An update whose answer was lost may have stored them; or another process, after the lease was lost.
        const stored = await this.#grants.findOneBy({ grantId });
        if (stored)
          return stored.tokenId === columns.tokenId
            ? access(columns, answer)
            : access(stored, await this.on.tokens.open(stored));
        return await this.#revoke(grant, held, answer);
      } catch (error) {
        if (Date.now() >= until) throw error;
        this.on.log.warn({ grantId, err: describeError(error) }, 'new tokens could not be stored; trying again');
        await pause(Math.min(200 * 2 ** attempt, longestPauseMs));
      }
    }
  }

  async #revoke(
    { serviceUserId, fhirBaseUrl }: Grant,
    held: Tokens,
    { access_token, refresh_token = held.refresh_token, clientAuthentication }: TokenResponse,
  ): Promise<'lost'> {
    const tokens = { access_token, ...(refresh_token ? { refresh_token } : {}) };
    const { revocations, source } = this.on;
    await revocations.add(source.manager, await revocations.key(), {
      serviceUserId,
      fhirBaseUrl,
      fhirVersion: 'r4',
      clientAuthentication,
      tokens,
    });
    return 'lost';
  }

  async #lost(grant: Grant, reason: string): Promise<'lost'> {
    this.on.log.info({ grantId: grant.grantId, reason }, 'a grant needs reauthorization');
    await this.on.events.lost(grant);
    return 'lost';
  }

  async #clientNotAccepted(grant: Grant, problem: ClientProblem): Promise<'client not accepted'> {
    await this.on.events.clientNotAccepted(grant, problem);
    return 'client not accepted';
  }
}

/** RFC 6749, section 5.2; some health systems answer 401 without a code. */
function isAboutOurClient({ status, error }: TokenRefused): boolean {
  return error === 'invalid_client' || error === 'unauthorized_client' || (error === undefined && status === 401);
}
