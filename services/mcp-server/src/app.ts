import { userReadScope } from '@tributary/contracts';
import {
  type AccessTokens,
  Api,
  type ApiOptions,
  type AuthenticatedUser,
  type Authentication,
  type RouteLimit,
  accessTokenAuthentication,
  clientSignal,
  oauthErrorFormat,
  bearerTokenOf,
} from '@tributary/service-kit';
import type { Express } from 'express';
import type { McpConfig } from './config';
import type { McpEndpoint } from './endpoint/mcp-endpoint';
import { requireValidOrigin } from './endpoint/origin';

export interface PublicDependencies {
  endpoint: McpEndpoint;
  tokens: AccessTokens;
  settings: Pick<McpConfig, 'BASE_URL' | 'AUTH_URL' | 'ALLOWED_ORIGINS'>;
  limits: readonly RouteLimit[];
  log: ApiOptions['log'];
}

/** The public API at {base_url}/mcp: the MCP endpoint, and its metadata as a protected resource (RFC 9728). */
export function publicApp({ endpoint, tokens, settings, limits, log }: PublicDependencies): Express {
  return new Api({
    title: 'MCP',
    description: 'A user’s record as tools of the Model Context Protocol.',
    serverUrl: settings.BASE_URL,
    errorFormat: oauthErrorFormat,
    log,
    audit: { none: 'its tools read with the token of the user, and the APIs that they call record it' },
    // The SDK reads the body, and answers what is not JSON-RPC.
    bodyParsers: [],
    documentation: false,
  })
    .route(
      {
        method: 'post',
        path: '/mcp',
        // Every tool only reads.
        isSafe: true,
        operationId: 'mcp',
        summary: 'Model Context Protocol',
        authentication: userAuthentication(tokens, settings.ALLOWED_ORIGINS),
        limits,
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
    .protect({
      url: `${settings.BASE_URL}/mcp`,
      authorizationServer: settings.AUTH_URL,
      scopes: [userReadScope],
      name: 'Tributary health record',
    })
    .express();
}

/** Authenticates the user of the bearer token, and refuses requests of pages from other origins. */
function userAuthentication(
  tokens: AccessTokens,
  allowedOrigins: readonly string[] | undefined,
): Authentication<AuthenticatedUser> {
  const { authenticate, scheme } = accessTokenAuthentication(tokens);
  return {
    scheme,
    authenticate: async (request, requestId) => {
      requireValidOrigin(request.headers.origin, allowedOrigins);
      return authenticate(request, requestId);
    },
  };
}
