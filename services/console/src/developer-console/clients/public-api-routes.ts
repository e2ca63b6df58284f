import type { OutboundRequest, OutboundStream } from '@tributary/outbound';
import type { Api, RouteRequest } from '@tributary/service-kit';
import { z } from 'zod';
import { apiPath, jsonBody, notFound, refusal } from '../common-routes';
import type { Dependencies } from '../dependencies';
import type { Session } from '../sessions/sessions';
import { calledApis, calledPath, rolesFor } from './called-api';
import { forward, forwardedHeaders, usualLimits } from './forwarding';

const params = z.object({
  client_id: z.string().max(255).describe('A client application of an organisation of the account.'),
  api: z.enum(calledApis).describe('`base` for {base_url}, `auth` for {auth_url}, `analytics` for {analytics_url}.'),
  path: z.array(z.string()).meta({
    documented: { type: 'string' },
    description: 'The path below that base URL.',
    examples: ['user-management/v1/user'],
  }),
});

/** Files of exports are streamed, whatever their size. */
const ofExports = { totalMs: 4 * 3_600_000, idleMs: 60_000, maxBytes: Number.MAX_SAFE_INTEGER, maxExpansion: Infinity };

type Call = RouteRequest<Session, typeof params, z.ZodType, undefined, z.ZodType>;

/**
 * Calls of the public APIs for a client application: the console does what the client itself could do, by the same
 * requests. The temporary secret stays here; the browser gets what the API answers, such as a new secret of the client.
 */
export function servePublicApis(api: Api, { access, apis, authentications, limits }: Dependencies): void {
  const send = async (
    { principal, params: { client_id, api: called }, request, requestId }: Call,
    target: string,
    signal: AbortSignal,
  ): Promise<OutboundStream> => {
    const { developer } = principal;
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const secret = await access.secretOf(client_id, developer, requestId);
    return apis[called].http.stream({
      method: request.method as OutboundRequest['method'],
      url: apis[called].url + target,
      headers: {
        ...forwardedHeaders(request),
        client_id,
        client_secret: secret,
        // An export of a client has the records of all of its users.
        ...(called === 'analytics' ? { 'x-service-user-id': 'client' } : {}),
        'X-Request-Id': requestId,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      ...(called === 'analytics' ? ofExports : usualLimits),
      signal,
    });
  };

  for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const)
    api.route(
      {
        method,
        path: apiPath('clients/{client_id}/{api}/{path*}'),
        operationId: `${method}AsClient`,
        summary: `Send a ${method.toUpperCase()} request of a client application to a public API`,
        description:
          'The request is sent as the client sends it, and answered as the API answers. The audit log names the developer beside the client. What a role does not allow is refused before.',
        tags: ['Clients'],
        authentication: authentications.session,
        limits: limits.session,
        audit: { none: 'the API that is called records the access, with the developer' },
        params,
        query: z.looseObject({}).meta({ documented: { type: 'object' } }),
        ...(method === 'get' ? {} : { body: z.unknown(), bodyTypes: jsonBody }),
        responses: {
          200: { description: 'The answer of the API.' },
          403: refusal(
            'The role of the account does not allow it.',
            'role_not_allowed',
            'second_factor_required',
            'invalid_origin',
          ),
          404: refusal('There is no such client, or no such request of clients.', 'not_found'),
        },
      },
      async (call) => {
        const {
          params: { client_id, api: called },
          principal: { developer },
          request,
          requestId,
          response,
        } = call as unknown as Call;
        const target = calledPath(called, request.method, request.originalUrl);
        if (!target) throw notFound('request of a client');
        await access.requireClient(client_id, developer, rolesFor(called, request.method, target), requestId);
        await forward(
          response,
          (signal) => send(call as unknown as Call, target, signal),
          // The secret of this process has ended, as after an operator has disabled the client for a while.
          () => access.forgetSecret(client_id, developer),
        );
        return undefined;
      },
    );
}
