import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { type DiscoveryCache, DiscoveryFailed } from '../health-systems/discovery-cache';
import type { Registrations } from '../health-systems/registrations';
import { OutboundRequestFailed } from '../outbound/outbound-http';
import type { RevocationEndpoint } from './revocation-endpoint';
import type { TokenRevocation, TokenRevocations } from './token-revocations';

const atOnce = 20;

export interface RevokeTokensDependencies {
  revocations: TokenRevocations;
  discoveries: DiscoveryCache;
  registrations: Registrations;
  endpoint: RevocationEndpoint;
  log: Logger;
}

/** Revokes the tokens that are due at their health systems. A health system that does not answer is asked again with growing pauses for 72 hours. */
export async function revokeTokens(on: RevokeTokensDependencies): Promise<void> {
  for (;;) {
    const due = await on.revocations.take(atOnce);
    await Promise.all(due.map((one) => revokeOne(on, one)));
    if (due.length < atOnce) return;
  }
}

async function revokeOne({ revocations, log, ...on }: RevokeTokensDependencies, one: TokenRevocation): Promise<void> {
  const { fhirBaseUrl, revocationId, isLast } = one;
  const lines = { revocationId, host: URL.canParse(fhirBaseUrl) ? new URL(fhirBaseUrl).host : undefined };
  try {
    const outcome = (await revocations.isSuperseded(one)) ? 'superseded' : await revokeBoth(on, one);
    if (outcome === 'try again' && !isLast) return await revocations.postpone(one);
    await revocations.remove(one);
    log.info(
      { ...lines, outcome: outcome === 'try again' ? 'given up' : outcome },
      'tokens of a forgotten connection were removed',
    );
  } catch (error) {
    log.warn({ ...lines, err: describeError(error) }, 'tokens of a forgotten connection could not be revoked');
    // Otherwise the lease that `take` gave runs out, and they are tried again.
    if (isLast) await revocations.remove(one).catch(() => undefined);
  }
}

type Outcome = 'revoked' | 'refused' | 'try again' | 'the health system revokes no tokens' | 'unreadable';

/** The refresh token first: many health systems end the access tokens with it. */
async function revokeBoth(
  {
    discoveries,
    registrations,
    endpoint,
  }: Pick<RevokeTokensDependencies, 'discoveries' | 'registrations' | 'endpoint'>,
  one: TokenRevocation,
): Promise<Outcome> {
  const { tokens, fhirBaseUrl, fhirVersion, clientAuthentication } = one;
  if (!tokens) return 'unreadable';
  try {
    const { revocationEndpoint, tokenEndpoint, signingAlgorithms } = await discoveries.find({
      fhirVersion,
      fhir_base_url: fhirBaseUrl,
    });
    if (!revocationEndpoint) return 'the health system revokes no tokens';
    const client = await registrations.find(fhirBaseUrl);
    if (!client) return 'try again';
    const outcomes: Outcome[] = [];
    for (const hint of ['refresh_token', 'access_token'] as const) {
      const token = tokens[hint];
      if (token)
        outcomes.push(
          await endpoint.revoke({
            revocationEndpoint,
            tokenEndpoint,
            client,
            signingAlgorithms,
            remembered: clientAuthentication,
            token,
            hint,
          }),
        );
    }
    return outcomes.find((outcome) => outcome === 'try again') ?? outcomes[0] ?? 'revoked';
  } catch (error) {
    if (error instanceof OutboundRequestFailed || error instanceof DiscoveryFailed) return 'try again';
    throw error;
  }
}
