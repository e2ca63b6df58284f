import type { Logger } from 'pino';
import type { CollectionQueue } from '../collection/collection-queue';
import type { EstablishConnections } from '../connections/save-connections';
import { patientOfToken } from '../health-systems/token-patient-id';
import type { ClientRegistration, Registrations } from '../health-systems/registrations';
import { type TokenResponse, type TokenEndpoint, TokenRefused } from '../health-systems/token-endpoint';
import { OutboundRequestFailed } from '../outbound/outbound-http';
import { UserNoLongerActive } from '../users/user-keys';
import type { Attempt } from './pending-authorizations';
import type { CallbackQuery } from './connect-request';
import { authorizationCode } from './authorization-response';
import type { JourneyError } from './connect-session';
import { LegFailed } from './authorization-failed';

export interface FinishLegDependencies {
  registrations: Registrations;
  endpoint: TokenEndpoint;
  establish: EstablishConnections;
  queue: CollectionQueue;
  callbackUrl: string;
}

/**
 * Turns a health system's authorization response into connections that are being collected.
 * @throws LegFailed
 */
export async function finishLeg(
  on: FinishLegDependencies,
  { journey, leg, codeVerifier, scope }: Attempt,
  answer: CallbackQuery,
  log: Logger,
): Promise<void> {
  const code = authorizationCode(answer, leg);
  const client = await on.registrations.find(leg.endpoints[0]?.fhir_base_url ?? '');
  if (!client) throw new LegFailed('health_system_not_registered', 'our client is not registered any more');
  const tokens = await exchange(code, client);
  const patientId = patientOfToken(tokens);
  if (!patientId) throw new LegFailed('health_system_error', 'the token answer names no patient', 'another release');
  const { serviceUserId, clientId, healthSystem } = journey;
  const jobs = await failingAs('user_inactive', UserNoLongerActive, () =>
    on.establish.establish({
      serviceUserId,
      clientId,
      healthSystem,
      endpoints: leg.endpoints,
      tokenEndpoint: leg.tokenEndpoint,
      signingAlgorithms: leg.signingAlgorithms,
      patientId,
      scope: tokens.scope ?? scope,
      answer: tokens,
    }),
  );
  log.info({ connections: jobs.map(({ connection_id }) => connection_id) }, 'connected');
  await on.queue.addSoon(jobs);

  function exchange(authorizationCode: string, ourClient: ClientRegistration): Promise<TokenResponse> {
    const form = {
      grant_type: 'authorization_code',
      code: authorizationCode,
      redirect_uri: on.callbackUrl,
      code_verifier: codeVerifier,
    };
    return failingAs('health_system_error', TokenRefused, () =>
      failingAs('health_system_error', OutboundRequestFailed, () =>
        on.endpoint.request({
          tokenEndpoint: leg.tokenEndpoint,
          client: ourClient,
          signingAlgorithms: leg.signingAlgorithms,
          form,
        }),
      ),
    );
  }
}

async function failingAs<T>(as: JourneyError, kind: new (...of: never[]) => Error, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof kind) throw new LegFailed(as, error.message);
    throw error;
  }
}
