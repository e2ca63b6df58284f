import { isUserScope, mayWrite, userScopes } from '@tributary/contracts';
import { badRequest } from '@tributary/service-kit';

/**
 * The scope of a user's tokens: the requested one, or else the granted one.
 * @throws HttpError 400 invalid_scope for an unknown scope, and for one that allows more than the granted one
 */
export function requestedUserScope(requested: string | undefined, granted: string): string {
  if (requested === undefined) return granted;
  if (!isUserScope(requested))
    throw badRequest(`scope: ${userScopes.join(', ')} are supported for a user`, 'invalid_scope');
  if (mayWrite(requested) && !mayWrite(granted))
    throw badRequest('scope: names more than was granted', 'invalid_scope');
  return [...new Set(requested.split(' '))].join(' ');
}
