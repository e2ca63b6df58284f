import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { tokenSetOf } from '../grants/grant-tokens';
import type { TokenResponse } from '../health-systems/token-client';
import { enqueueRevocation } from '../revocations/revocation-queue';
import type { Dependencies } from '../dependencies';
import type { PendingAuthorization } from './pending-authorizations';

/**
 * Longer than an authorization can take: a later one of the same user, after which the tokens are not revoked, has
 * ended by then.
 */
const delaySeconds = 900;

/**
 * Enqueues the revocation (RFC 7009) of tokens from which no connection was made. They are not revoked when the user
 * has succeeded at the same authorization server meanwhile, also with another release. It does not throw.
 */
export async function revokeUnusedTokens(
  { database, keys }: Dependencies,
  { session, request }: PendingAuthorization,
  tokens: TokenResponse,
  log: Logger,
): Promise<void> {
  const [{ fhir_base_url: fhirBaseUrl, fhirVersion }] = request.endpoints;
  try {
    await enqueueRevocation(
      database,
      await keys.of('token-revocations'),
      {
        serviceUserId: session.serviceUserId,
        fhirBaseUrl,
        fhirVersion,
        supersededBy: request.endpoints.map((endpoint) => endpoint.fhir_base_url),
        clientAuthenticationMethod: tokens.clientAuthenticationMethod,
        tokens: tokenSetOf(tokens),
      },
      delaySeconds,
    );
  } catch (error) {
    log.error({ err: describeError(error) }, 'the tokens of a failed connect cannot be revoked');
  }
}
