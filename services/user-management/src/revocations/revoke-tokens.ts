import { OutboundRequestFailed } from '@tributary/outbound';
import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import type { DataKeys } from '../database/data-keys';
import { DiscoveryFailed } from '../health-systems/discovery';
import type { DiscoveryCache } from '../health-systems/discovery-cache';
import type { Registrations } from '../health-systems/registrations';
import type { RevocationClient, RevocationOutcome } from './revocation-client';
import {
  type TokenRevocation,
  deleteRevocation,
  isSuperseded,
  leaseRevocations,
  postponeRevocation,
} from './revocation-queue';

const batchSize = 20;

export interface RevokeTokensDependencies {
  database: DataSource;
  keys: DataKeys;
  discoveryCache: DiscoveryCache;
  registrations: Registrations;
  revocationClient: RevocationClient;
  log: Logger;
}

/**
 * Revokes due tokens at their health systems (RFC 7009). While a health system is unavailable, the revocation is
 * retried with exponential backoff for 72 hours.
 */
export async function revokeTokens(on: RevokeTokensDependencies): Promise<void> {
  for (;;) {
    const due = await leaseRevocations(on.database, on.keys, batchSize);
    await Promise.all(due.map((revocation) => revokeGrant(on, revocation)));
    if (due.length < batchSize) return;
  }
}

async function revokeGrant(on: RevokeTokensDependencies, revocation: TokenRevocation): Promise<void> {
  const { database, log } = on;
  const { fhirBaseUrl, revocationId, isLastAttempt } = revocation;
  const fields = { revocationId, host: URL.canParse(fhirBaseUrl) ? new URL(fhirBaseUrl).host : undefined };
  try {
    const outcome = (await isSuperseded(database, revocation)) ? 'superseded' : await revokeBothTokens(on, revocation);
    if (outcome === 'try_again' && !isLastAttempt) return await postponeRevocation(database, revocation);
    await deleteRevocation(database, revocation);
    log.info(
      { ...fields, outcome: outcome === 'try_again' ? 'given_up' : outcome },
      'the tokens of a deleted grant were removed',
    );
  } catch (error) {
    log.warn({ ...fields, err: describeError(error) }, 'the tokens of a deleted grant could not be revoked');
    // Without the deletion the revocation is due again when its lease expires.
    if (isLastAttempt) await deleteRevocation(database, revocation).catch(() => undefined);
  }
}

/** The refresh token first: many health systems revoke the access tokens with it. */
async function revokeBothTokens(
  { discoveryCache, registrations, revocationClient }: RevokeTokensDependencies,
  { tokens, fhirBaseUrl, fhirVersion, clientAuthenticationMethod }: TokenRevocation,
): Promise<RevocationOutcome | 'not_supported' | 'unreadable'> {
  if (!tokens) return 'unreadable';
  try {
    const server = await discoveryCache.find({ fhirVersion, fhir_base_url: fhirBaseUrl });
    if (!server.revocationEndpoint) return 'not_supported';
    const registration = await registrations.find(fhirBaseUrl);
    if (!registration) return 'try_again';
    const outcomes: RevocationOutcome[] = [];
    for (const hint of ['refresh_token', 'access_token'] as const) {
      const token = tokens[hint];
      if (token)
        outcomes.push(
          await revocationClient.revoke({
            revocationEndpoint: server.revocationEndpoint,
            tokenEndpoint: server.tokenEndpoint,
            registration,
            authMethods: server.authMethods,
            signingAlgorithms: server.signingAlgorithms,
            lastAcceptedMethod: clientAuthenticationMethod,
            token,
            hint,
          }),
        );
    }
    return outcomes.find((outcome) => outcome === 'try_again') ?? outcomes[0] ?? 'revoked';
  } catch (error) {
    if (error instanceof OutboundRequestFailed || error instanceof DiscoveryFailed) return 'try_again';
    throw error;
  }
}
