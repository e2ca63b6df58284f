import type { FhirVersion } from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
import type { EntityManager } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import { type DataKeys, unlessUnreadable } from '../database/data-keys';
import { enqueueRevocation } from '../revocations/revocation-queue';
import { openTokens } from './grant-tokens';

/** The data keys that open the tokens of deleted grants and seal them again for their revocation. */
export interface GrantDeletionKeys {
  ofUser: DataKey;
  ofTokenRevocations: DataKey;
}

interface DeletedGrant {
  grant_id: string;
  service_user_id: string;
  fhir_base_url: string;
  fhir_version: FhirVersion;
  client_authentication_method: string;
  tokens_sealed: Buffer;
}

/**
 * To be called before the transaction of the deletion: a key that is not cached is read over another database
 * connection.
 * @throws UserNoLongerActive
 */
export async function grantDeletionKeys(keys: DataKeys, serviceUserId: number): Promise<GrantDeletionKeys> {
  const [ofUser, ofTokenRevocations] = await Promise.all([keys.ofUser(serviceUserId), keys.of('token-revocations')]);
  return { ofUser, ofTokenRevocations };
}

/**
 * Deletes the grants of a user that no connection uses. To be called under `lockUser`. `RETURNING` gives the tokens of
 * a refresh that commits before the deletion; a refresh that ends later finds no row and revokes its tokens itself.
 * @param fhirVersion in which the authorization server is discovered
 */
export function deleteUnusedGrants(
  manager: EntityManager,
  serviceUserId: number,
  fhirVersion: FhirVersion,
): Promise<DeletedGrant[]> {
  return changedRows<DeletedGrant>(
    manager,
    `DELETE FROM health_system_grant g WHERE service_user_id = $1
       AND NOT EXISTS (SELECT FROM connection c WHERE c.grant_id = g.grant_id)
     RETURNING *, $2 AS fhir_version`,
    [serviceUserId, fhirVersion],
  );
}

/** Deletes all grants of a user, as `deleteUnusedGrants` does. */
export function deleteUserGrants(manager: EntityManager, serviceUserId: number): Promise<DeletedGrant[]> {
  return changedRows<DeletedGrant>(
    manager,
    `DELETE FROM health_system_grant g WHERE service_user_id = $1
     RETURNING *, coalesce((SELECT min(c.fhir_version) FROM connection c
       WHERE c.grant_id = g.grant_id AND c.fhir_base_url = g.fhir_base_url), 'r4') AS fhir_version`,
    [serviceUserId],
  );
}

export async function enqueueRevocations(
  manager: EntityManager,
  { ofUser, ofTokenRevocations }: GrantDeletionKeys,
  deleted: DeletedGrant[],
): Promise<void> {
  for (const grant of deleted) {
    const { grant_id: grantId, tokens_sealed: tokensSealed } = grant;
    // Tokens that cannot be opened must not prevent a user from disconnecting.
    const tokens = unlessUnreadable(() => openTokens(ofUser, { grantId, tokensSealed }));
    if (!tokens) continue;
    await enqueueRevocation(manager, ofTokenRevocations, {
      serviceUserId: grant.service_user_id,
      fhirBaseUrl: grant.fhir_base_url,
      supersededBy: [grant.fhir_base_url],
      fhirVersion: grant.fhir_version,
      clientAuthenticationMethod: grant.client_authentication_method,
      tokens,
    });
  }
}
