import { type RedirectError, releasesNewestFirst } from '@tributary/contracts';
import { appendParameters } from '@tributary/service-kit';
import type { ConnectSession } from './connect-session';

type Outcome = Pick<ConnectSession, 'redirectUri' | 'connections' | 'hasOtherPerson' | 'firstError' | 'clientState'> & {
  healthSystem: Pick<ConnectSession['healthSystem'], 'id'>;
};

/**
 * The client's redirect_uri with the outcome of the session. After a success, with one `connection_id` per connection
 * that was made, newest release first.
 */
export function clientRedirectUrl(session: Outcome): string {
  const { redirectUri, connections, hasOtherPerson, firstError, healthSystem, clientState } = session;
  const ids = releasesNewestFirst.flatMap((release) =>
    connections.flatMap(({ connectionId, fhirVersion }) => (fhirVersion === release ? [connectionId] : [])),
  );
  const outcome =
    ids.length > 0
      ? { success: 'true', connection_id: ids, ...(hasOtherPerson ? { other_person: 'true' } : {}) }
      : { success: 'false', error: firstError ?? ('server_error' satisfies RedirectError) };
  return appendParameters(redirectUri, { ...outcome, health_system_id: String(healthSystem.id), state: clientState });
}
