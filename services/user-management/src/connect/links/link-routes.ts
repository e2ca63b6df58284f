import {
  type ClientApplication,
  connectLink,
  documentedId,
  exampleValues,
  healthSystemId,
  healthSystemIdText,
  serviceUserId as userId,
  serviceUserIdText,
  visibleText,
} from '@tributary/contracts';
import { type Api, HttpError, assertOwnOrigin, badRequest, browserNavigation, isOfFrame } from '@tributary/service-kit';
import { z } from 'zod';
import { connectionUser, userOfClient } from '../../connections/connection-caller';
import { UserNoLongerActive, userInactive } from '../../users/user-errors';
import { appUrlOf, beginSession, checkClient, checkRedirectUri, checkSession, takeSession } from '../begin-connect';
import type { Dependencies } from '../../dependencies';
import { type SessionOptions, sessionOptions } from '../connect-request';
import { refused, sendRedirect } from '../connect-responses';
import { renderLinkPage } from '../pages/link-page';
import { clientRedirectUrl } from '../redirect-urls';
import { sessionAttributes, sessionCall } from '../session-call';
import { connectLinkSeconds } from './connect-links';

const linkRequest = z
  .object({
    health_system_id: z
      .union([healthSystemId, healthSystemIdText], 'must be a positive integer')
      .optional()
      .describe('The health system to connect. Without it the link opens the connect pages, on which the user chooses.')
      .meta({ documented: { ...documentedId, examples: [exampleValues.health_system_id] } }),
    service_user_id: z
      .union([userId, serviceUserIdText], 'must be a positive integer')
      .optional()
      .describe('With client credentials: the user, here or in the query.')
      .meta({ documented: { ...documentedId, examples: [exampleValues.service_user_id] } }),
    account_name: visibleText(100)
      .optional()
      .describe(
        'What the user calls the account in your application, such as a name or an e-mail address: the page shows it. With client credentials only, as whoever holds a token of an account could give it the name of somebody else.',
      )
      .meta({ examples: ['noah@example.org'] }),
    ...sessionOptions.shape,
  })
  .meta({ id: 'ConnectLinkRequest' });

const linkParams = z.object({
  link: z
    .string()
    .regex(/^[\w-]{43}$/)
    .meta({ examples: [exampleValues.connect_link] }),
});
const answer = z
  .object({ answer: z.enum(['yes', 'no']).describe('Whether the account is the own one.') })
  .meta({ id: 'LinkAnswer' });

export const linkEnded = (): HttpError => new HttpError('connect_link_ended', 'this connect link has ended');

/** What a link to the connect pages can have: the rest is about one health system. */
const pageOptions: ReadonlySet<string> = new Set(['redirect_uri', 'state'] satisfies (keyof SessionOptions)[]);

/**
 * Links that begin a connect session, or open the connect pages: a client requests one, and the browser that opens it
 * first is asked whose account it is about. Unlike the address of a connect session, a link holds no token, and nobody
 * can be sent past the question: the answer needs the cookie of the page, which browsers do not send with forms of
 * other sites, and its origin.
 */
export function serveLinks(api: Api, dependencies: Dependencies): void {
  const { connectLinks: links, cookie, limits } = dependencies;
  const baseUrl = dependencies.config.BASE_URL;
  const tags = ['Connect'];
  const ofPage = {
    tags,
    authentication: browserNavigation,
    limits: limits.pages,
    params: linkParams,
    htmlErrors: true,
  } as const;

  api.route(
    {
      method: 'post',
      path: '/connect/v1/links',
      operationId: 'createConnectLink',
      summary: 'A link that connects a health system, for the browser of the user',
      description:
        'Use it in place of an address with an access token. Without `health_system_id` it opens the connect pages. Otherwise the page of the link names your application, the health system and the account, and asks the user whether the account is the own one. The connect session ends at the redirect_uri, as one by `/connect/system/clinical/{health_system_id}` does; with `error=access_denied` when the user answers no.',
      audit: { kind: 'connect.link-created', action: 'C' },
      tags,
      authentication: dependencies.callerAuthentication,
      limits: limits.connections,
      query: userOfClient,
      body: linkRequest,
      example: {
        body: { health_system_id: exampleValues.health_system_id, fhirVersion: 'r4', state: 'returned-unchanged' },
      },
      responses: {
        201: { description: 'The link.', schema: connectLink },
        400: {
          description: 'Bad input, a redirect_uri that is not registered, or an unsupported fhirVersion.',
          codes: ['invalid_request', 'invalid_redirect_uri', 'unsupported_fhir_version'],
        },
        401: { description: 'The access token or the client credentials are missing or wrong.' },
        403: {
          description: 'The scope of the access token only reads, or the user is not active.',
          codes: ['insufficient_scope', 'user_inactive'],
        },
        404: {
          description: 'There is no such health system or connection, or the client has no such user.',
          codes: ['health_system_not_found', 'connection_not_found', 'user_not_found'],
        },
      },
    },
    async (call) => {
      const { principal, query, body, requestId, response, audit } = call;
      const { health_system_id, service_user_id = query.service_user_id, account_name, ...options } = body;
      const { serviceUserId, isActive } = await connectionUser(dependencies.users, principal, { service_user_id });
      if (account_name !== undefined && principal.by === 'user')
        throw badRequest('account_name: needs client credentials');
      const client = await checkClient(dependencies, principal.clientId, requestId);
      const healthSystem = health_system_id === undefined ? undefined : { id: health_system_id };
      audit(sessionAttributes({ serviceUserId, client, healthSystem }));
      if (!isActive) throw userInactive();
      if (health_system_id === undefined) checkPageOptions(client, options);
      else {
        const session = { client, serviceUserId, healthSystemId: health_system_id, options };
        await checkSession(dependencies, sessionCall(call), session);
      }
      const contents = {
        clientId: client.client_id,
        healthSystemId: health_system_id,
        accountName: account_name,
        options,
      };
      const { link, expiresAt } = await links.create(serviceUserId, contents).catch((error: unknown) => {
        throw error instanceof UserNoLongerActive ? userInactive() : error;
      });
      response.status(201);
      return { url: `${baseUrl}/connect/links/${link}`, expires_at: expiresAt.toISOString() };
    },
  );

  api.route(
    {
      method: 'get',
      path: '/connect/links/{link}',
      operationId: 'openConnectLink',
      summary: 'The page of a connect link, which asks whose account it is about',
      audit: { none: 'the page has no data of the user; the answer begins the session' },
      ...ofPage,
      responses: {
        200: { description: 'An HTML page.', schema: z.string(), contentType: 'text/html', headers: ['Set-Cookie'] },
        302: { description: 'To the connect pages.', headers: ['Location', 'Set-Cookie'] },
        410: refused('The link has ended.', 'connect_link_ended'),
      },
    },
    async ({ params: { link }, request, requestId, response }) => {
      // A program that looks at the address, as a messenger does, must not claim the link.
      if (request.method === 'HEAD') {
        response.status(200).type('html').end();
        return undefined;
      }
      const opened = await links.open(link, cookie.read(link, request.headers.cookie));
      if (!opened) throw linkEnded();
      // Before anything that can fail: the link belongs to this browser from now on.
      const { clientId, healthSystemId, accountName } = opened.contents;
      // The connect pages can be shown in a frame; this page cannot.
      const isFramed = healthSystemId === undefined && isOfFrame(request);
      if (opened.newBrowserSecret !== undefined)
        response.append('Set-Cookie', cookie.set(link, opened.newBrowserSecret, connectLinkSeconds, isFramed));
      // The connect pages ask the question themselves.
      if (healthSystemId === undefined) {
        sendRedirect(response, { location: `${baseUrl}/connect?link=${link}`, cookies: [] }, 302);
        response.end();
        return undefined;
      }
      const client = await checkClient(dependencies, clientId, requestId);
      const healthSystem = await dependencies.directory.findHealthSystem(healthSystemId, { requestId });
      const page = renderLinkPage(request, {
        appName: client.name,
        systemName: healthSystem?.name ?? '',
        accountName,
      });
      // Browsers also apply the policy of a page that is left: an app that connects in a pop-up would lose that window.
      response.removeHeader('Cross-Origin-Opener-Policy');
      // With `no-referrer` browsers would send the form with `Origin: null`.
      response
        .status(200)
        .set({ 'Referrer-Policy': 'same-origin', ...page.headers })
        .type('html')
        .send(page.html);
      return undefined;
    },
  );

  api.route(
    {
      method: 'post',
      path: '/connect/links/{link}',
      operationId: 'answerConnectLink',
      summary: 'The answer of the user on the page of a connect link',
      audit: { kind: 'connect.begun', action: 'E' },
      ...ofPage,
      body: answer,
      bodyTypes: ['application/x-www-form-urlencoded'],
      responses: {
        303: {
          description: 'To the authorization endpoint of the health system, or to the redirect_uri with an error.',
          headers: ['Location', 'Set-Cookie'],
        },
        403: refused('The answer comes from another page.', 'invalid_origin'),
        410: refused('The link has ended.', 'connect_link_ended'),
      },
    },
    async (call) => {
      const { params, body, request, requestId, response, audit } = call;
      const { link } = params;
      // As when the user denies access at the health system: a connect session ends without a connection.
      if (body.answer === 'no') audit({ kind: 'connect.finished' });
      assertOwnOrigin(request.headers, baseUrl);
      const browserSecret = cookie.read(link, request.headers.cookie);
      const contents = browserSecret === undefined ? undefined : await links.find(link, browserSecret);
      if (contents?.healthSystemId === undefined || browserSecret === undefined) throw linkEnded();
      const { clientId, serviceUserId, healthSystemId, options } = contents;
      const browserCall = sessionCall(call);
      const client = await checkClient(dependencies, clientId, requestId);
      browserCall.show({ appName: client.name, appUrl: appUrlOf(client, healthSystemId, options) });
      audit(sessionAttributes({ serviceUserId, client, healthSystem: { id: healthSystemId } }));
      const isYes = body.answer === 'yes';
      if (isYes) await takeSession(dependencies, clientId, serviceUserId);
      const asked = { client, serviceUserId, healthSystemId, options };
      const session = isYes ? await checkSession(dependencies, browserCall, asked) : undefined;
      if (!(await links.end(link, browserSecret))) throw linkEnded();
      if (session) return sendRedirect(response, await beginSession(dependencies, browserCall, session), 303);
      const location = clientRedirectUrl({
        redirectUri: checkRedirectUri(client, options.redirect_uri),
        healthSystem: { id: healthSystemId },
        clientState: options.state,
        connections: [],
        firstError: 'access_denied',
      });
      return sendRedirect(response, { location, cookies: [] }, 303);
    },
  );
}

/** @throws HttpError 400 */
function checkPageOptions(client: ClientApplication, options: SessionOptions): void {
  const other = Object.keys(options).find((name) => !pageOptions.has(name));
  if (other !== undefined) throw badRequest(`${other}: needs health_system_id`);
  checkRedirectUri(client, options.redirect_uri);
}
