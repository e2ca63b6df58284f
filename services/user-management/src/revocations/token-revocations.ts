import { randomUUID } from 'node:crypto';
import type { FhirVersion } from '@tributary/contracts';
import { type DataKey, type ScopedKeys, UnsealingError } from '@tributary/key-vault';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { changedRows } from '../database/changed-rows';
import type { Tokens } from '../grants/grant-tokens';

const scope = 'token-revocations';
const firstPauseSeconds = 60;
const longestPauseSeconds = 6 * 3600;
const leaseSeconds = 300;
/** The tokens are forgotten after this time, whether the health system has revoked them or not. */
const endsAfterHours = 72;

const contents = z.object({ access_token: z.string(), refresh_token: z.string().optional() });

/** A grant that is given up, with the release that its health system is asked in. */
export interface ForgottenGrant {
  serviceUserId: number;
  fhirBaseUrl: string;
  fhirVersion: FhirVersion;
  clientAuthentication: string;
  tokens: Tokens;
}

export interface TokenRevocation extends Omit<ForgottenGrant, 'tokens'> {
  revocationId: string;
  /** Undefined when they cannot be opened any more. */
  tokens: Tokens | undefined;
  isLast: boolean;
}

interface Row {
  revocation_id: string;
  service_user_id: string;
  fhir_base_url: string;
  fhir_version: FhirVersion;
  client_authentication: string;
  tokens_sealed: Buffer;
  is_last: boolean;
}

/**
 * Tokens that are to be revoked at their health systems: an outbox that outlives the connection and the user. Its rows are sealed under a key of
 * its own, as the key of the user is destroyed with the user.
 */
export class TokenRevocations {
  constructor(
    private readonly source: DataSource,
    private readonly keys: ScopedKeys,
  ) {}

  /** The key that `add` needs, to be asked for before a transaction begins: a key that is not cached is read on another connection. */
  key(): Promise<DataKey> {
    return this.keys.keyFor(scope);
  }

  /** @param on the transaction that forgets the grant */
  async add(
    on: EntityManager,
    key: DataKey,
    { serviceUserId, fhirBaseUrl, fhirVersion, clientAuthentication, tokens }: ForgottenGrant,
  ): Promise<void> {
    const revocationId = randomUUID();
    await on.query(
      `INSERT INTO token_revocation (revocation_id, service_user_id, fhir_base_url, fhir_version, client_authentication, tokens_sealed) VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        revocationId,
        serviceUserId,
        fhirBaseUrl,
        fhirVersion,
        clientAuthentication,
        key.sealText(JSON.stringify(tokens), associatedData(revocationId)),
      ],
    );
  }

  /** Takes what is due under a lease of five minutes; several replicas share it out. */
  async take(atMost: number): Promise<TokenRevocation[]> {
    const rows = await changedRows<Row>(
      this.source,
      `UPDATE token_revocation SET attempts = attempts + 1, due_at = now() + $2 * interval '1 second'
       WHERE revocation_id IN (SELECT revocation_id FROM token_revocation WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING *, created_at < now() - $3 * interval '1 hour' AS is_last`,
      [atMost, leaseSeconds, endsAfterHours],
    );
    const key = rows.length > 0 ? await this.key() : undefined;
    return rows.map((row) => ({
      revocationId: row.revocation_id,
      serviceUserId: Number(row.service_user_id),
      fhirBaseUrl: row.fhir_base_url,
      fhirVersion: row.fhir_version,
      clientAuthentication: row.client_authentication,
      tokens: key && openedTokens(key, row),
      isLast: row.is_last,
    }));
  }

  /** Whether the user has authorized the same health system again: some systems would end that grant with the old one. */
  async isSuperseded({ serviceUserId, fhirBaseUrl }: TokenRevocation): Promise<boolean> {
    const rows = (await this.source.query(
      'SELECT FROM health_system_grant WHERE service_user_id = $1 AND fhir_base_url = $2 LIMIT 1',
      [serviceUserId, fhirBaseUrl],
    )) as unknown[];
    return rows.length > 0;
  }

  async postpone({ revocationId }: TokenRevocation): Promise<void> {
    await this.source.query(
      `UPDATE token_revocation SET due_at = now() + least($2 * 2 ^ least(attempts - 1, 20), $3) * (0.8 + 0.4 * random()) * interval '1 second' WHERE revocation_id = $1`,
      [revocationId, firstPauseSeconds, longestPauseSeconds],
    );
  }

  async remove({ revocationId }: TokenRevocation): Promise<void> {
    await this.source.query('DELETE FROM token_revocation WHERE revocation_id = $1', [revocationId]);
  }
}

function openedTokens(key: DataKey, { revocation_id, tokens_sealed }: Row): Tokens | undefined {
  try {
    return contents.parse(JSON.parse(key.openText(tokens_sealed, associatedData(revocation_id))));
  } catch (error) {
    if (error instanceof UnsealingError) return undefined;
    throw error;
  }
}

function associatedData(revocationId: string): string {
  return `token_revocation ${revocationId} tokens`;
}
