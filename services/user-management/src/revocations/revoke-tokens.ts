import { OutboundRequestFailed } from '@tributary/outbound';
import { describeError } from '@tributary/service-kit';
import { repeatFullBatches } from '../database/changed-rows';
import type { Dependencies } from '../dependencies';
import {
  type AuthorizationServer,
  errorCodeOf,
  parseJson,
  transientClientErrors,
} from '../health-systems/authorization-server';
import { methodsToTry, postAsClient } from '../health-systems/client-authentication';
import { DiscoveryFailed } from '../health-systems/discovery';
import type { ClientRegistration } from '../health-systems/registrations';
import { isAboutTheClient } from '../health-systems/token-client';
import {
  type TokenRevocation,
  deleteRevocation,
  isSuperseded,
  leaseRevocations,
  postponeRevocation,
} from './revocation-queue';

const batchSize = 20;

/** `refused` when another attempt would not help. */
type RevocationOutcome = 'revoked' | 'refused' | 'try_again' | 'not_supported' | 'unreadable';

/** Not 501: an endpoint that does not implement revocation responds in the same way to each attempt. */
const transientStatuses = new Set([...transientClientErrors, 500, 502, 503, 504]);

/**
 * Revokes due tokens at their health systems (RFC 7009). While a health system is unavailable, the revocation is
 * retried with exponential backoff for 72 hours.
 */
export function revokeTokens(dependencies: Dependencies): Promise<void> {
  return repeatFullBatches(batchSize, async () => {
    const due = await leaseRevocations(dependencies.database, dependencies.keys, batchSize);
    return Promise.all(due.map((revocation) => revokeGrant(dependencies, revocation)));
  });
}

async function revokeGrant(dependencies: Dependencies, revocation: TokenRevocation): Promise<void> {
  const { database, log } = dependencies;
  const { fhirBaseUrl, revocationId, isLastAttempt } = revocation;
  const fields = { revocationId, host: URL.canParse(fhirBaseUrl) ? new URL(fhirBaseUrl).host : undefined };
  try {
    const outcome = (await isSuperseded(database, revocation))
      ? 'superseded'
      : await revokeBothTokens(dependencies, revocation);
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
async function revokeBothTokens(dependencies: Dependencies, revocation: TokenRevocation): Promise<RevocationOutcome> {
  const { tokens, fhirBaseUrl, fhirVersion, clientAuthenticationMethod: lastAcceptedMethod } = revocation;
  if (!tokens) return 'unreadable';
  try {
    const server = await dependencies.discoveryCache.find({ fhirVersion, fhir_base_url: fhirBaseUrl });
    if (!server.revocationEndpoint) return 'not_supported';
    const registration = await dependencies.registrations.find(fhirBaseUrl);
    if (!registration) return 'try_again';
    const outcomes: RevocationOutcome[] = [];
    for (const hint of ['refresh_token', 'access_token'] as const) {
      const token = tokens[hint];
      const form = token && { token, token_type_hint: hint };
      if (form) outcomes.push(await revoke(dependencies, { ...server, lastAcceptedMethod }, registration, form));
    }
    return outcomes.find((outcome) => outcome === 'try_again') ?? outcomes[0] ?? 'revoked';
  } catch (error) {
    if (error instanceof OutboundRequestFailed || error instanceof DiscoveryFailed) return 'try_again';
    throw error;
  }
}

/** `revoked` also for a token that was not valid any more (RFC 7009, section 2.2). @throws OutboundRequestFailed */
async function revoke(
  dependencies: Dependencies,
  server: AuthorizationServer & { lastAcceptedMethod: string },
  registration: ClientRegistration,
  form: Record<string, string>,
): Promise<RevocationOutcome> {
  const { revocationEndpoint = '', tokenEndpoint } = server;
  for (const method of methodsToTry(registration, server)) {
    const client = { method, registration, tokenEndpoint };
    const { status, text } = await postAsClient(dependencies, client, revocationEndpoint, form);
    if (status >= 200 && status <= 299) return 'revoked';
    if (transientStatuses.has(status)) return 'try_again';
    if (!isAboutTheClient({ status, error: errorCodeOf(parseJson(text)) })) return 'refused';
  }
  return 'try_again';
}
