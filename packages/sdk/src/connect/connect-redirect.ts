import type { RedirectError } from '../api-types.ts';
import { TributaryError } from '../http/errors.ts';

/** What the service adds to the `redirect_uri` at the end of a connect. */
export type ConnectResult =
  | {
      success: true;
      health_system_id: number;
      /** Of the connect pages, on which a user can connect several. */
      health_system_ids: number[];
      /** One per connection that was made, of each health system the newest FHIR release first. */
      connection_ids: string[];
    }
  | {
      success: false;
      /** Absent when the user has left the connect pages. */
      health_system_id?: number;
      error: RedirectError | (string & {});
    };

/** The parameters of a redirect are not those of a connect that this user began. */
export class ConnectRedirectError extends TributaryError {
  override name = 'ConnectRedirectError';
}

/** A random `state` for a connect URL. Keep it in the session of the user until the redirect. */
export function newState(): string {
  return crypto.randomUUID();
}

/**
 * Reads the URL that the browser was redirected to.
 * @param expected the `state` of the connect URL, from the session of the user. It proves that this user began the
 *   connect: without the comparison, another person could send the user a link to this address.
 * @throws ConnectRedirectError when the state differs or the parameters are malformed
 */
export function readConnectRedirect(url: string | URL, expected: { state: string }): ConnectResult {
  const parameters = new URL(url).searchParams;
  if (expected.state === '' || parameters.get('state') !== expected.state)
    throw new ConnectRedirectError('the state of the redirect is not that of the connect URL');
  const health_system_ids = parameters.getAll('health_system_id').map(Number);
  const [health_system_id] = health_system_ids;
  if (!health_system_ids.every((id) => Number.isSafeInteger(id) && id > 0))
    throw new ConnectRedirectError('the redirect has no valid health_system_id');
  const error = parameters.get('error') ?? 'server_error';
  switch (parameters.get('success')) {
    case 'true':
      if (health_system_id === undefined) throw new ConnectRedirectError('the redirect has no health_system_id');
      return {
        success: true,
        health_system_id,
        health_system_ids,
        connection_ids: parameters.getAll('connection_id'),
      };
    case 'false':
      return { success: false, ...(health_system_id === undefined ? {} : { health_system_id }), error };
    default:
      throw new ConnectRedirectError('the redirect has no parameter success');
  }
}
