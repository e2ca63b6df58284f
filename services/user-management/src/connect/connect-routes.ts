import { serviceError } from '@tributary/contracts';
import { type Api, anyone } from '@tributary/service-kit';
import type { Response } from 'express';
import { z } from 'zod';
import type { SigningKeys } from '../client-keys/signing-keys';
import { type BeginConnectDependencies, beginConnect } from './begin-connect';
import { callbackQuery, connectParams, connectQuery } from './connect-request';
import { type FinishConnectDependencies, finishConnect } from './finish-connect';
import type { Step } from './next-redirect';

export type ConnectRoutesDependencies = BeginConnectDependencies &
  FinishConnectDependencies & { signingKeys: SigningKeys };

const refused = (description: string): { description: string; schema: typeof serviceError } => ({
  description: `${description} A readable page when the browser prefers one.`,
  schema: serviceError,
});

/** `{base_url}/connect`: the way of a user's browser to a health system and back (contract, "Connect"). */
export function addConnectRoutes(api: Api, on: ConnectRoutesDependencies): void {
  const tags = ['Connect'];

  api.route(
    {
      method: 'get',
      path: '/connect/system/clinical/{health_system_id}',
      operationId: 'connect',
      summary: "Send a user's browser here to connect a health system",
      description:
        'Ends at the redirect_uri of the client with `success=true`, `health_system_id` and `state`; or with `success=false` and `error`.',
      tags,
      authentication: anyone,
      params: connectParams,
      query: connectQuery,
      responses: {
        302: {
          description:
            'To the authorization page of the health system, or back to the client when that cannot be reached.',
        },
        400: refused('Bad input, a redirect_uri that is not registered, or an unsupported fhirVersion.'),
        401: refused('The client is unknown, or the token is not good or not of this client.'),
        404: refused('There is no such health system.'),
      },
    },
    async ({ params, query, requestId, log, response }) =>
      redirect(response, await beginConnect(on, params.health_system_id, query, requestId, log)),
  );

  api.route(
    {
      method: 'get',
      path: '/connect/callback',
      operationId: 'connectCallback',
      summary: 'Where health systems send users back to',
      tags,
      authentication: anyone,
      query: callbackQuery,
      responses: {
        302: { description: 'To the redirect_uri of the client, or on to the next authorization.' },
        400: refused('This browser began no such authorization.'),
      },
    },
    async ({ query, request, requestId, log, response }) =>
      redirect(response, await finishConnect(on, query, request.headers.cookie, requestId, log)),
  );

  api.route(
    {
      method: 'get',
      path: '/connect/jwks.json',
      operationId: 'clientKeys',
      summary: 'The public keys of our client, for health systems that know it by private_key_jwt',
      tags,
      authentication: anyone,
      responses: {
        200: { description: 'A JWK Set.', schema: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }) },
      },
    },
    async ({ response }) => {
      response.setHeader('Cache-Control', 'public, max-age=3600');
      return on.signingKeys.published();
    },
  );
}

/**
 * Whoever is at the new address does not hear of this one, which holds a token or a code. Browsers keep to the opener policy of a redirect
 * too: with it, an app that connects in a pop-up window would lose that window on the way.
 */
function redirect(response: Response, { location, cookies }: Step): undefined {
  for (const cookie of cookies) response.append('Set-Cookie', cookie);
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.removeHeader('Cross-Origin-Opener-Policy');
  response.status(302).setHeader('Location', location);
  response.end();
}
