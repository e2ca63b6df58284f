import {
  begunConnectSession,
  connectLinkOpening,
  connectSessionRequest,
  openedConnectLink,
} from '@tributary/contracts';
import { type Api, serviceKeyAuthentication } from '@tributary/service-kit';
import type { Dependencies } from '../dependencies';
import { issueForActive } from '../users/user-changes';
import { userInactive } from '../users/user-errors';
import { beginSession, checkClient, checkSession, takeSession } from './begin-connect';
import { linkEnded } from './links/link-routes';
import { sessionAttributes, sessionCall } from './session-call';

/** The internal API for the connect pages: links open them, and they begin sessions that end on them. */
export function serveSessions(api: Api, dependencies: Dependencies): void {
  const authentication = serviceKeyAuthentication(dependencies.config.SERVICE_KEYS, ['console']);
  api.route(
    {
      method: 'post',
      path: '/internal/v1/connect-links/end',
      operationId: 'endConnectLink',
      summary: 'Ends a connect link that opens the connect pages',
      audit: { none: 'the link gives a token, whose issue is recorded' },
      authentication,
      body: connectLinkOpening,
      responses: {
        200: { description: 'Whose pages they are.', schema: openedConnectLink },
        403: { description: 'The user is not active.', codes: ['user_inactive'] },
        410: { description: 'The link has ended, or belongs to another browser.', codes: ['connect_link_ended'] },
      },
    },
    async ({ body: { link, browser_secret: secret }, requestId }) => {
      const { auth, connectLinks: links, users } = dependencies;
      const contents = await links.find(link, secret);
      if (!contents || contents.healthSystemId !== undefined) throw linkEnded();
      const { clientId, serviceUserId, accountName, options } = contents;
      const { issued: access_token } = await issueForActive(users, clientId, { serviceUserId }, () =>
        auth.issueAccessToken(clientId, serviceUserId, { requestId }),
      );
      if (!(await links.end(link, secret))) throw linkEnded();
      const { redirect_uri, state } = options;
      return { client_id: clientId, access_token, account_name: accountName, redirect_uri, state };
    },
  );
  api.route(
    {
      method: 'post',
      path: '/internal/v1/connect-sessions',
      operationId: 'beginConnectSession',
      summary: 'Begins a connect session of a user who has agreed on the connect pages',
      audit: { kind: 'connect.begun', action: 'E' },
      authentication,
      body: connectSessionRequest,
      responses: {
        200: { description: 'Where the browser goes next.', schema: begunConnectSession },
        400: {
          description: 'The health system has no release that can be collected.',
          codes: ['unsupported_fhir_version'],
        },
        401: { description: 'The client is unknown.', codes: ['invalid_client'] },
        403: { description: 'The user is not active.', codes: ['user_inactive'] },
        404: {
          description: 'There is no such health system, or the user has no such connection to it.',
          codes: ['health_system_not_found', 'connection_not_found'],
        },
      },
    },
    async (call) => {
      const { body, requestId, audit } = call;
      const { service_user_id: serviceUserId, health_system_id: healthSystemId, connection_id } = body;
      const client = await checkClient(dependencies, body.client_id, requestId);
      audit(sessionAttributes({ serviceUserId, client, healthSystem: { id: healthSystemId } }));
      const user = await dependencies.users.find(client.client_id, { serviceUserId });
      if (user?.state !== 'active') throw userInactive();
      await takeSession(dependencies, client.client_id, serviceUserId);
      const browserCall = sessionCall(call);
      const session = await checkSession(dependencies, browserCall, {
        client,
        serviceUserId,
        healthSystemId,
        returnUrl: dependencies.config.BASE_URL + body.return_path,
        options: { connection_id, confirm_person: body.confirm_person ? 'true' : 'false' },
      });
      const { location, cookies } = await beginSession(dependencies, browserCall, session);
      return { location, cookies };
    },
  );
}
