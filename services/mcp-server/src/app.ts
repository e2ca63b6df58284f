import {
  type AccessTokens,
  Api,
  type ApiOptions,
  type AuthenticatedUser,
  type Authentication,
  HttpError,
  accessTokenAuthentication,
  anyone,
  clientSignal,
  oauthErrorFormat,
  bearerTokenOf,
} from '@tributary/service-kit';
import type { Express } from 'express';
import type { McpEndpoint } from './endpoint/mcp-endpoint';
import { requireValidOrigin } from './endpoint/origin';

export interface PublicDependencies {
  endpoint: McpEndpoint;
  tokens: AccessTokens;
  baseUrl: string;
  authUrl: string;
  allowedOrigins: readonly string[] | undefined;
  log: ApiOptions['log'];
}

/** The public API at {base_url}/mcp: the MCP endpoint, and its metadata as a protected resource (RFC 9728). */
export function publicApp({ endpoint, tokens, baseUrl, authUrl, allowedOrigins, log }: PublicDependencies): Express {
  const metadataPath = '/.well-known/oauth-protected-resource/mcp';
  return new Api({
    title: 'MCP',
    description: 'A user’s record as tools of the Model Context Protocol.',
    serverUrl: baseUrl,
    errorFormat: oauthErrorFormat,
    log,
    // The SDK reads the body, and answers what is not JSON-RPC.
    bodyParsers: [],
    documentation: false,
  })
    .route(
      {
        method: 'post',
        path: '/mcp',
        operationId: 'mcp',
        summary: 'Model Context Protocol',
        authentication: userAuthentication(tokens, `${baseUrl}${metadataPath}`, allowedOrigins),
        responses: { 200: { description: 'A JSON-RPC response.' } },
      },
      async ({ principal, request, response, requestId }) => {
        await endpoint.serve(request, response, {
          user: principal,
          token: bearerTokenOf(request) ?? '',
          requestId,
          signal: clientSignal(response),
        });
        return undefined;
      },
    )
    .route(
      {
        method: 'get',
        path: metadataPath,
        operationId: 'protectedResource',
        summary: 'Metadata of the protected resource',
        authentication: anyone,
        responses: { 200: { description: 'RFC 9728.' } },
      },
      () => ({
        resource: `${baseUrl}/mcp`,
        authorization_servers: [authUrl],
        bearer_methods_supported: ['header'],
        resource_name: 'Tributary health record',
        resource_documentation: `${baseUrl}/docs`,
      }),
    )
    .express();
}

/**
 * Authenticates the user of the bearer token. The challenge names the metadata from which a client learns where tokens
 * come from (RFC 9728, section 5.1).
 */
function userAuthentication(
  tokens: AccessTokens,
  metadataUrl: string,
  allowedOrigins: readonly string[] | undefined,
): Authentication<AuthenticatedUser> {
  const { authenticate, scheme } = accessTokenAuthentication(tokens);
  return {
    scheme,
    authenticate: async (request, requestId) => {
      requireValidOrigin(request.headers.origin, allowedOrigins);
      try {
        return await authenticate(request, requestId);
      } catch (error) {
        const challenge = error instanceof HttpError ? error.headers['WWW-Authenticate'] : undefined;
        if (!(error instanceof HttpError) || challenge === undefined) throw error;
        throw new HttpError(error.errorCode, error.message, {
          ...error.headers,
          'WWW-Authenticate': `${challenge}, resource_metadata="${metadataUrl}"`,
        });
      }
    },
  };
}
