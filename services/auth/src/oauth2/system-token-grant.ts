import type { SystemTokenResponse } from '@tributary/contracts';
import { badRequest } from '@tributary/service-kit';
import { systemTokenLifetime } from '../tokens/lifetimes';
import type { SystemTokens } from '../tokens/system-tokens';
import type { RequestingClient } from './requesting-client';
import { requestedSystemScope } from './system-scopes';

/** The `grant_type` by which a client asks for a token of its own. */
export const clientCredentials = 'client_credentials';

/**
 * Gives a client that signed its request a token for the data of all of its users (SMART Backend Services).
 * @throws HttpError 400 for one that sent its secret: this grant is served for assertions only
 */
export async function grantSystemToken(
  { clientId, authenticatedBy }: RequestingClient,
  requested: string | undefined,
  tokens: SystemTokens,
): Promise<SystemTokenResponse> {
  if (authenticatedBy !== 'assertion')
    throw badRequest(
      'grant_type: client_credentials is supported with a client_assertion only',
      'unsupported_grant_type',
    );
  const scope = requestedSystemScope(requested);
  return {
    access_token: await tokens.issue(clientId, scope),
    token_type: 'Bearer',
    expires_in: systemTokenLifetime,
    scope,
  };
}
