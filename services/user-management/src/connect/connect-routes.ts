/**
 * Connect: a user's browser travels from the client to a health system and back (OAuth 2.0 authorization code grant
 * with PKCE, SMART App Launch). Nouns, in order of appearance:
 *
 *   ConnectSession         the session, from the client's redirect until the browser is back at the client
 *   AuthorizationRequest   one request to one authorization server; a session has one or more
 *   PendingAuthorization   a request that was sent, stored under the hash of its `state` until the callback
 *   BrowserRedirect        a 302 response with its cookies
 *   Grant                  the tokens that the health system issued; serves one connection per FHIR release
 *
 *   browser           this service                                                        health system
 *      |
 *      | GET /connect/system/clinical/{id}
 *      |----------------> beginConnect
 *      |                    checks: client, user, redirect_uri, health system, releases
 *      |                    planAuthorizations: registration, discovery ----------------> GET smart-configuration
 *      |                    nextRedirect: INSERT pending_authorization
 *      | 302, cookie
 *      |<----------------
 *      | GET authorization_endpoint?state&code_challenge
 *      |------------------------------------------------------------------------------> the user signs in, consents
 *      | 302 /connect/callback?code&state
 *      |<------------------------------------------------------------------------------
 *      | GET /connect/callback?code&state
 *      |----------------> finishConnect
 *      |                    consumeState: DELETE pending_authorization
 *      |                    exchangeCode: code and code_verifier -----------------------> POST token_endpoint
 *      |                    saveConnections: INSERT health_system_grant, connection
 *      |                    collectionQueue.tryAdd: the first collection
 *      |                    nextRedirect: the next authorization request, if one remains or the scopes were refused
 *      |                    markUsed: how the session has ended, for a reload of the callback
 *      | 302 to its authorization_endpoint, or to the redirect_uri of the client
 *      |<----------------
 */
import { exampleValues, redirectError } from '@tributary/contracts';
import { type Api, type RouteRequest, anyone, browserNavigation } from '@tributary/service-kit';
import { z } from 'zod';
import { beginConnect } from './begin-connect';
import type { Dependencies } from '../dependencies';
import { callbackParams, callbackQuery, connectParams, connectQuery } from './connect-request';
import { refused, sendRedirect } from './connect-responses';
import { finishConnect } from './finish-connect';
import { sessionCall } from './session-call';

/** RFC 7517, section 5. */
const jsonWebKeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).meta({ id: 'JsonWebKeySet' });

/** Routes for browsers under `{base_url}/connect`, and the JWK Set of our client. */
export function serveConnect(api: Api, dependencies: Dependencies): void {
  const common = { tags: ['Connect'], authentication: browserNavigation, limits: dependencies.limits.pages };

  api.route(
    {
      method: 'get',
      path: '/connect/system/clinical/{health_system_id}',
      operationId: 'connect',
      summary: "Send a user's browser here to connect a health system",
      audit: { kind: 'connect.begun', action: 'E' },
      description: `Ends at the redirect_uri of the client with \`success=true\`, \`health_system_id\`, \`state\` and one \`connection_id\` per connection, newest release first, and \`other_person=true\` when the Patient is another person than those of the record before; or with \`success=false\`, \`health_system_id\`, \`state\` and \`error\`: ${redirectError.options.join(', ')}.`,
      ...common,
      params: connectParams,
      query: connectQuery,
      htmlErrors: true,
      example: {
        query: {
          client_id: exampleValues.client_id,
          access_token: exampleValues.access_token,
          fhirVersion: 'r4',
          redirect_uri: exampleValues.redirect_uri,
          state: 'returned-unchanged',
        },
      },
      responses: {
        302: {
          description: 'To the authorization endpoint of the health system, or to the redirect_uri with an error.',
          headers: ['Location', 'Set-Cookie'],
        },
        400: refused(
          'Bad input, a redirect_uri that is not registered, or an unsupported fhirVersion.',
          'invalid_request',
          'invalid_redirect_uri',
          'unsupported_fhir_version',
        ),
        401: refused(
          'The client is unknown, or the access token is invalid or of another client.',
          'invalid_client',
          'invalid_token',
        ),
        403: refused('The scope of the access token only reads.', 'insufficient_scope'),
        404: refused(
          'There is no such health system, or the user has no such connection to it.',
          'health_system_not_found',
          'connection_not_found',
        ),
      },
    },
    async (call) => {
      const { params, query, response } = call;
      const redirect = await beginConnect(dependencies, sessionCall(call), params.health_system_id, query);
      return sendRedirect(response, redirect, 302);
    },
  );

  const callback = {
    method: 'get',
    audit: { kind: 'connect.finished', action: 'E' },
    ...common,
    query: callbackQuery,
    htmlErrors: true,
    responses: {
      302: {
        description: 'To the redirect_uri of the client, or to the next authorization.',
        headers: ['Location', 'Set-Cookie'],
      },
      400: refused('This browser has no pending authorization with that `state`.', 'invalid_state', 'invalid_request'),
    },
  } as const;
  const finish = async (
    name: string | undefined,
    call: Omit<RouteRequest<unknown, undefined, typeof callbackQuery, undefined, undefined>, 'params'>,
  ): Promise<undefined> => {
    const redirectUri = dependencies.registrations.redirectUri(name);
    const brought = { query: call.query, redirectUri, cookieHeader: call.request.headers.cookie };
    return sendRedirect(call.response, await finishConnect(dependencies, sessionCall(call), brought), 302);
  };
  api.route(
    {
      ...callback,
      path: '/connect/callback',
      operationId: 'connectCallback',
      summary: 'The redirect_uri of our client at health systems whose registration names no other',
    },
    (input) => finish(undefined, input),
  );
  api.route(
    {
      ...callback,
      path: '/connect/callback/{callback}',
      operationId: 'connectCallbackOfRegistration',
      summary: 'The redirect_uri of our client at a health system',
      params: callbackParams,
    },
    (input) => finish(input.params.callback, input),
  );

  api.route(
    {
      method: 'get',
      path: '/connect/jwks.json',
      operationId: 'clientKeys',
      summary: 'The public keys of our client, for health systems that authenticate it by private_key_jwt',
      tags: common.tags,
      authentication: anyone,
      responses: {
        200: { description: 'A JWK Set.', schema: jsonWebKeySet },
      },
    },
    async ({ response }) => {
      response.setHeader('Cache-Control', 'public, max-age=3600');
      return dependencies.signingKeys.jwkSet();
    },
  );
}
