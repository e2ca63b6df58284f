import type { FhirVersion } from '@tributary/contracts';
import { type DataKey, UnsealingError } from '@tributary/key-vault';
import type { EntityManager } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import type { GrantTokens, Tokens } from './grant-tokens';
import type { TokenRevocations } from '../revocations/token-revocations';

/**
 * Whoever changes which grant a connection of a user has holds the user's row: two who do so at once would not see that the other gives up
 * the same grant.
 */
export async function lockUser(on: EntityManager, serviceUserId: number): Promise<void> {
  await on.query('SELECT FROM service_user WHERE service_user_id = $1 FOR NO KEY UPDATE', [serviceUserId]);
}

export interface GrantKeys {
  ofUser: DataKey;
  ofRevocations: DataKey;
}

interface DeletedGrant {
  grant_id: string;
  service_user_id: string;
  fhir_base_url: string;
  fhir_version: FhirVersion;
  client_authentication: string;
  tokens_sealed: Buffer;
}

/** Forgets grants, and has their tokens revoked at the health system. */
export class ForgetGrants {
  constructor(
    private readonly tokens: GrantTokens,
    private readonly revocations: TokenRevocations,
  ) {}

  /** The keys that `forget` needs, to be asked for before its transaction. @throws UserNoLongerActive */
  async keys(serviceUserId: number): Promise<GrantKeys> {
    const [ofUser, ofRevocations] = await Promise.all([this.tokens.key(serviceUserId), this.revocations.key()]);
    return { ofUser, ofRevocations };
  }

  /**
   * Deletes the grants of a user that no connection has; to be called under `lockUser`. `RETURNING` gives the tokens of a refresh that ends
   * meanwhile; a refresh that ends later finds no row and has its tokens revoked itself.
   */
  async forgetUnused(
    on: EntityManager,
    serviceUserId: number,
    keys: GrantKeys,
    fhirVersion: FhirVersion,
  ): Promise<void> {
    const deleted = await changedRows<DeletedGrant>(
      on,
      `DELETE FROM health_system_grant g WHERE service_user_id = $1 AND NOT EXISTS (SELECT FROM connection c WHERE c.grant_id = g.grant_id)
       RETURNING *, $2 AS fhir_version`,
      [serviceUserId, fhirVersion],
    );
    await this.#revoke(on, keys, deleted);
  }

  /** Deletes all grants of a user; to be called under `lockUser`. */
  async forgetAll(on: EntityManager, serviceUserId: number, keys: GrantKeys): Promise<void> {
    const deleted = await changedRows<DeletedGrant>(
      on,
      `DELETE FROM health_system_grant g WHERE service_user_id = $1
       RETURNING *, coalesce((SELECT min(c.fhir_version) FROM connection c WHERE c.grant_id = g.grant_id AND c.fhir_base_url = g.fhir_base_url), 'r4') AS fhir_version`,
      [serviceUserId],
    );
    await this.#revoke(on, keys, deleted);
  }

  async #revoke(on: EntityManager, { ofUser, ofRevocations }: GrantKeys, deleted: DeletedGrant[]): Promise<void> {
    for (const grant of deleted) {
      const tokens = this.#opened(ofUser, grant);
      if (!tokens) continue;
      const { service_user_id, fhir_base_url, fhir_version, client_authentication } = grant;
      await this.revocations.add(on, ofRevocations, {
        serviceUserId: Number(service_user_id),
        fhirBaseUrl: fhir_base_url,
        fhirVersion: fhir_version,
        clientAuthentication: client_authentication,
        tokens,
      });
    }
  }

  /** Tokens that cannot be opened must not keep anybody from disconnecting. */
  #opened(key: DataKey, { grant_id, tokens_sealed }: DeletedGrant): Tokens | undefined {
    try {
      return this.tokens.openWith(key, { grantId: grant_id, tokensSealed: tokens_sealed });
    } catch (error) {
      if (error instanceof UnsealingError) return undefined;
      throw error;
    }
  }
}
