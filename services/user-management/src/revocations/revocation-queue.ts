import { randomUUID } from 'node:crypto';
import type { FhirVersion } from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
import type { DataSource, EntityManager } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import { isHostPaused } from '../health-systems/paused-hosts';
import { type DataKeys, unlessUnreadable } from '../database/data-keys';
import { type TokenSet, tokenSet } from '../grants/grant-tokens';

/*
 * Tokens that are to be revoked at their health systems (table `token_revocation`): an outbox that outlives connection
 * and user. Its rows are sealed under a data key of their own, as the data key of the user is destroyed with the user.
 */

const firstDelaySeconds = 60;
const maxDelaySeconds = 6 * 3600;
const leaseSeconds = 300;
/** After this time the tokens are deleted, whether they were revoked or not. */
const maxAgeHours = 72;

export interface RevokedGrant {
  serviceUserId: number | string;
  fhirBaseUrl: string;
  /** The FHIR bases of the authorization server: a newer grant of the user for one of them could be revoked, too. */
  supersededBy: string[];
  /** The release in which the authorization server is discovered. */
  fhirVersion: FhirVersion;
  clientAuthenticationMethod: string;
  tokens: TokenSet;
}

export interface TokenRevocation extends Omit<RevokedGrant, 'tokens'> {
  revocationId: string;
  /** Undefined when they cannot be opened. */
  tokens: TokenSet | undefined;
  isLastAttempt: boolean;
}

/**
 * @param manager of the transaction that deletes the grant
 * @param key `token-revocations` of `DataKeys`
 * @param delaySeconds until the first attempt
 */
export async function enqueueRevocation(
  manager: Pick<EntityManager, 'query'>,
  key: DataKey,
  grant: RevokedGrant,
  delaySeconds = 0,
): Promise<void> {
  const revocationId = randomUUID();
  await manager.query(
    `INSERT INTO token_revocation (revocation_id, service_user_id, fhir_base_url, fhir_version,
       client_authentication_method, tokens_sealed, superseded_by, due_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 second')`,
    [
      revocationId,
      grant.serviceUserId,
      grant.fhirBaseUrl,
      grant.fhirVersion,
      grant.clientAuthenticationMethod,
      key.sealText(JSON.stringify(grant.tokens), associatedData(revocationId)),
      grant.supersededBy,
      delaySeconds,
    ],
  );
}

/** Leases due revocations for five minutes, except at paused hosts. `SKIP LOCKED` divides them among the replicas. */
export async function leaseRevocations(
  database: DataSource,
  keys: DataKeys,
  limit: number,
): Promise<TokenRevocation[]> {
  const rows = await changedRows<Omit<TokenRevocation, 'tokens'> & { tokensSealed: Buffer }>(
    database,
    `UPDATE token_revocation SET attempts = attempts + 1, due_at = now() + $2 * interval '1 second'
     WHERE revocation_id IN (
       SELECT revocation_id FROM token_revocation WHERE due_at <= now()
         AND NOT ${isHostPaused('token_revocation.fhir_base_url')} ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING revocation_id AS "revocationId", service_user_id AS "serviceUserId", fhir_base_url AS "fhirBaseUrl",
       superseded_by AS "supersededBy", fhir_version AS "fhirVersion", tokens_sealed AS "tokensSealed",
       client_authentication_method AS "clientAuthenticationMethod",
       created_at < now() - $3 * interval '1 hour' AS "isLastAttempt"`,
    [limit, leaseSeconds, maxAgeHours],
  );
  const key = rows.length > 0 ? await keys.of('token-revocations') : undefined;
  return rows.map(({ tokensSealed, ...row }) => ({
    ...row,
    tokens:
      key &&
      unlessUnreadable(() => tokenSet.parse(JSON.parse(key.openText(tokensSealed, associatedData(row.revocationId))))),
  }));
}

/**
 * Whether the user has authorized the same health system again: some systems would revoke the new grant together with
 * the old one.
 */
export async function isSuperseded(
  database: DataSource,
  { serviceUserId, supersededBy }: TokenRevocation,
): Promise<boolean> {
  const rows = (await database.query(
    `SELECT FROM health_system_grant g WHERE service_user_id = $1 AND (fhir_base_url = ANY ($2)
       OR EXISTS (SELECT FROM connection c WHERE c.grant_id = g.grant_id AND c.fhir_base_url = ANY ($2))) LIMIT 1`,
    [serviceUserId, supersededBy],
  )) as unknown[];
  return rows.length > 0;
}

/** Exponential backoff from one minute to six hours, with a jitter of 20 %. */
export async function postponeRevocation(database: DataSource, { revocationId }: TokenRevocation): Promise<void> {
  await database.query(
    `UPDATE token_revocation SET due_at = now()
       + least($2 * 2 ^ least(attempts - 1, 20), $3) * (0.8 + 0.4 * random()) * interval '1 second'
     WHERE revocation_id = $1`,
    [revocationId, firstDelaySeconds, maxDelaySeconds],
  );
}

export async function deleteRevocation(database: DataSource, { revocationId }: TokenRevocation): Promise<void> {
  await database.query('DELETE FROM token_revocation WHERE revocation_id = $1', [revocationId]);
}

function associatedData(revocationId: string): string {
  return `token_revocation ${revocationId} tokens`;
}
