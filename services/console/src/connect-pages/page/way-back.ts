import type { RedirectError } from '@tributary/contracts';
import { appendParameters } from '@tributary/service-kit';
import type { MadeConnection, PageSession } from '../sessions/page-sessions';

/**
 * Where the browser goes back to: the redirect_uri of the client, with the parameters that it has after a connect
 * session, and a `health_system_id` for each health system.
 * @param error where no connection was made
 */
export function wayBack(
  { redirectUri, state }: Pick<PageSession, 'redirectUri' | 'state'>,
  made: readonly MadeConnection[],
  error: RedirectError,
): string {
  const systems = new Set(made.map(({ healthSystemId }) => String(healthSystemId)));
  const outcome: Record<string, string | string[]> =
    made.length > 0
      ? {
          success: 'true',
          connection_id: [...new Set(made.map(({ connectionId }) => connectionId))],
          health_system_id: [...systems],
          ...(made.some(({ isOtherPerson }) => isOtherPerson) ? { other_person: 'true' } : {}),
        }
      : { success: 'false', error };
  return appendParameters(redirectUri, { ...outcome, state });
}
