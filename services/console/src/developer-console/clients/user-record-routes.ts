import { fhirVersion, serviceUserIdText } from '@tributary/contracts';
import type { Api } from '@tributary/service-kit';
import { z } from 'zod';
import { apiPath, notFound, refusal } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { calledFhirPath } from './called-api';
import { forward, forwardedHeaders, usualLimits } from './forwarding';

/** FHIR requests for the record of one user of a client, as the application of the user sends them. */
export function serveUserRecords(api: Api, { access, apis, authentications, limits, userTokens }: Dependencies): void {
  api.route(
    {
      method: 'get',
      path: apiPath('clients/{client_id}/users/{service_user_id}/{release}/{path*}'),
      operationId: 'readRecordOfUser',
      summary: 'Read the record of a user of a client application by a FHIR request',
      description:
        'The request is sent with an access token of the user, and answered as FHIR answers it. The record of a user of a test client can be read; of that of a live client only `$counts`: how many resources there are by type and year. The audit log names the developer beside the client.',
      tags: ['Clients'],
      authentication: authentications.session,
      limits: limits.session,
      audit: { none: 'the APIs that are called record the code, the token and the access, with the developer' },
      params: z.object({
        client_id: z.string().max(255).describe('A client application of an organisation of the account.'),
        service_user_id: serviceUserIdText,
        release: fhirVersion,
        path: z.array(z.string()).meta({
          documented: { type: 'string' },
          description: 'The path below the release.',
          examples: ['$counts'],
        }),
      }),
      query: z.looseObject({}).meta({ documented: { type: 'object' } }),
      responses: {
        200: { description: 'The answer of FHIR.' },
        403: refusal(
          'The role of the account does not allow it, or the user is deactivated.',
          'role_not_allowed',
          'user_inactive',
          'second_factor_required',
          'invalid_origin',
        ),
        404: refusal(
          'There is no such client, the client has no such user, or developers cannot read it.',
          'not_found',
          'user_not_found',
        ),
      },
    },
    async ({
      params: { client_id, service_user_id, release },
      principal: { developer },
      request,
      requestId,
      response,
    }) => {
      const { mode } = await access.requireClient(client_id, developer, ['owner', 'developer'], requestId);
      const target = calledFhirPath(mode, request.originalUrl);
      if (target === undefined) throw notFound('request of developers');
      const of = { clientId: client_id, serviceUserId: service_user_id, developer };
      let token = '';
      await forward(
        response,
        async (signal) => {
          token = await userTokens.tokenOf(of, requestId);
          return apis.base.http.stream({
            method: 'GET',
            url: `${apis.base.url}/${release}${target}`,
            headers: {
              ...forwardedHeaders(request),
              Authorization: `Bearer ${token}`,
              'X-Request-Id': requestId,
            },
            ...usualLimits,
            signal,
          });
        },
        () => userTokens.forget(of, token),
      );
      return undefined;
    },
  );
}
