import {
  type DirectoryClient,
  type HealthSystem,
  type Position,
  connectionId,
  healthSystemIdText,
  offset,
  redirectError,
} from '@tributary/contracts';
import {
  Api,
  type ApiOptions,
  HttpError,
  type RouteLimit,
  assertOwnOrigin,
  badRequest,
  browserNavigation,
  isOfFrame,
} from '@tributary/service-kit';
import type { Express, Request, Response } from 'express';
import { z } from 'zod';
import { answered } from '../answered';
import { type Page, type PageDependencies, endLink, findPage, findSession, openPage } from './page/page';
import { readArrived } from './places/arrived';
import { placesOf } from './places/places';
import { errorFormat } from './screens/error-format';
import type { MadeCount, Screen } from './screens/screens';
import { type WebApplication, assetsPath, sendScreen } from './screens/send-screen';
import { assetName, sendAsset } from '../web-assets';

export interface Dependencies extends PageDependencies {
  directory: Pick<DirectoryClient, 'findHealthSystem'>;
  web: WebApplication;
  limits: readonly RouteLimit[];
  log: ApiOptions['log'];
}

const openingQuery = z.union([
  z.strictObject({ link: z.string().regex(/^[\w-]{43}$/) }),
  z.strictObject({
    client_id: z.string().min(1),
    access_token: z.string().min(1),
    redirect_uri: z.string().optional(),
    state: z.string().max(4096).optional(),
    query: z.string().max(1000).optional(),
  }),
]);
const ofPage = z.object({ page: z.string().regex(/^[\w-]{22}$/) });
const ofSystem = ofPage.extend({ health_system_id: healthSystemIdText });
const searchQuery = z.object({ query: z.string().max(1000).default(''), offset: offset.optional() });
/** Where the user is. In the address it would be kept in the history of the browser and in logs of proxies. */
const searchHeaders = z.object({
  'connect-near': z
    .string()
    .regex(/^-?\d{1,2}(?:\.\d)?,-?\d{1,3}(?:\.\d)?$/, 'must be degrees of latitude and longitude with one decimal')
    .transform((text): Position => {
      const [latitude = NaN, longitude = NaN] = text.split(',').map(Number);
      return { latitude, longitude };
    })
    .optional(),
});
const reviewQuery = z.object({ connection_id: connectionId.optional(), error: redirectError.optional() });
const beginForm = z.object({
  connection_id: connectionId.optional(),
  confirm_person: z.literal('true').optional(),
  ticket: z.string().max(100).optional(),
});
const disconnectForm = z.object({ connection_id: z.union([connectionId, z.array(connectionId).min(1).max(100)]) });
/** As `clientRedirectUrl` of user-management writes it. */
const returnQuery = z.looseObject({
  success: z.enum(['true', 'false']),
  health_system_id: healthSystemIdText,
  connection_id: z.union([connectionId, z.array(connectionId)]).default([]),
  other_person: z.literal('true').optional(),
  error: redirectError.optional(),
});
const forms = ['application/x-www-form-urlencoded'];

/** The pages at {base_url}/connect. Every screen has an address of its own, and works without scripts. */
export function consoleApp(dependencies: Dependencies): Express {
  const { baseUrl, web, limits, log } = dependencies;
  const api = new Api({
    title: 'Connect pages',
    description: '',
    serverUrl: baseUrl,
    errorFormat: errorFormat({ web, baseUrl }),
    log,
    audit: { none: 'its calls act with the token of the user, and the APIs that they call record it' },
    documentation: false,
  });
  const common = { summary: '', authentication: browserNavigation, limits, htmlErrors: true, responses: {} } as const;
  const send = ({ request, response }: Exchange, screen: Screen): undefined =>
    sendScreen({ web, baseUrl }, request, response, screen);

  api.route(
    { ...common, method: 'get', path: '/connect', operationId: 'openConnectPage', query: openingQuery },
    async (call) => {
      const opening = 'link' in call.query ? await endLink(dependencies, call, call.query.link) : call.query;
      const path = await openPage(dependencies, call, opening);
      const query = 'query' in call.query ? call.query.query : undefined;
      const screen = query === undefined ? '' : `/search?${new URLSearchParams({ query }).toString()}`;
      // The address has the token: no other page learns it.
      return seeOther(call.response, path + screen, 'no-referrer');
    },
  );

  api.route(
    { ...common, method: 'get', path: '/connect/pages/{page}', operationId: 'connectPage', params: ofPage },
    async (call) => {
      const { apis, path } = await findPage(dependencies, call, call.params.page);
      const connections = await apis.connections();
      return seeOther(call.response, `${path}/${connections.length > 0 ? 'places' : 'search'}`);
    },
  );

  api.route(
    {
      ...common,
      method: 'get',
      path: '/connect/pages/{page}/search',
      operationId: 'searchScreen',
      params: ofPage,
      query: searchQuery,
      headers: searchHeaders,
    },
    async (call) => {
      const { apis, path } = await findPage(dependencies, call, call.params.page);
      const { query, offset: from = 0 } = call.query;
      const [{ total, limit, entry }, connections] = await Promise.all([
        apis.search(query, from, call.headers['connect-near']),
        apis.connections(),
      ]);
      const systems = entry.map(({ id, name, address, connectable, logo, distance_km: distanceKm }) => ({
        id,
        name,
        address,
        isConnectable: connectable,
        // The pages load nothing from elsewhere.
        ...(logo?.startsWith('data:image/') ? { logo } : {}),
        ...(distanceKm === undefined ? {} : { distanceKm }),
      }));
      return send(call, {
        name: 'search',
        path,
        query,
        offset: from,
        total,
        limit,
        systems,
        hasPlaces: connections.length > 0,
      });
    },
  );

  const system = { path: '/connect/pages/{page}/systems/{health_system_id}', params: ofSystem } as const;
  api.route({ ...common, ...system, method: 'get', operationId: 'reviewScreen', query: reviewQuery }, async (call) => {
    const { key, made, client, session, path } = await findPage(dependencies, call, call.params.page);
    const { id, name, address } = await healthSystemOf(dependencies, call, client);
    const { requested_types: types, consent_days: consentDays } = client;
    const { connection_id: reconnected, error } = call.query;
    return send(call, {
      name: 'review',
      path,
      system: { id, name, address },
      ...(types === undefined ? {} : { types }),
      ...(consentDays === undefined ? {} : { consentDays }),
      ...(session.accountName === undefined ? {} : { accountName: session.accountName }),
      ...(reconnected === undefined ? {} : { connectionId: reconnected }),
      ...(error === undefined ? {} : { error }),
      // No health system can be shown in a frame.
      ...(isOfFrame(call.request)
        ? { window: { ticket: await dependencies.sessions.createTicket(key), made: made.length } }
        : {}),
    });
  });
  api.route(
    { ...common, ...system, method: 'post', operationId: 'beginConnecting', body: beginForm, bodyTypes: forms },
    async (call) => {
      assertOwnOrigin(call.request.headers, baseUrl);
      const { page, health_system_id } = call.params;
      const { client, session } = await findPage(dependencies, call, page, call.body.ticket);
      const begun = {
        client_id: client.client_id,
        service_user_id: session.serviceUserId,
        health_system_id,
        connection_id: call.body.connection_id,
        confirm_person: call.body.confirm_person === 'true',
        return_path: `/connect/pages/${page}/return`,
      };
      const { requestId } = call;
      const { location, cookies } = await answered(dependencies.connectSessions.begin(begun, { requestId }));
      for (const cookie of cookies) call.response.append('Set-Cookie', cookie);
      return seeOther(call.response, location, 'no-referrer');
    },
  );

  api.route(
    {
      ...common,
      method: 'get',
      path: '/connect/pages/{page}/return',
      operationId: 'returnToPage',
      params: ofPage,
      query: returnQuery,
    },
    async (call) => {
      const { key, session, path } = await findPage(dependencies, call, call.params.page);
      const { health_system_id: healthSystemId, connection_id: ids, error = 'server_error' } = call.query;
      if (call.query.success === 'false')
        return seeOther(call.response, `${path}/systems/${healthSystemId}?error=${error}`);
      const person = call.query.other_person ? { isOtherPerson: true as const } : {};
      const made = [ids].flat().map((connectionId) => ({ connectionId, healthSystemId, ...person }));
      await dependencies.sessions.addMade(key, made);
      // The page goes on in its frame, and this window has done what it was opened for.
      return seeOther(call.response, `${path}/${session.isFramed ? 'window' : 'places'}`);
    },
  );
  api.route(
    { ...common, method: 'get', path: '/connect/pages/{page}/window', operationId: 'windowScreen', params: ofPage },
    async (call) => {
      await findPage(dependencies, call, call.params.page);
      return send(call, { name: 'window' });
    },
  );

  api.route(
    { ...common, method: 'get', path: '/connect/pages/{page}/made', operationId: 'countMade', params: ofPage },
    async (call) => {
      const { made } = await findPage(dependencies, call, call.params.page);
      call.response.setHeader('Cache-Control', 'no-store');
      return { made: made.length } satisfies MadeCount;
    },
  );

  const places = { path: '/connect/pages/{page}/places', params: ofPage } as const;
  api.route({ ...common, ...places, method: 'get', operationId: 'placesScreen' }, async (call) => {
    const { apis, path, made } = await findPage(dependencies, call, call.params.page);
    const connections = await apis.connectionDetails();
    const arrived = await readArrived(apis, connections);
    return send(call, { name: 'places', path, places: placesOf(connections), arrived, made });
  });
  api.route(
    {
      ...common,
      method: 'post',
      path: '/connect/pages/{page}/disconnect',
      operationId: 'disconnectPlace',
      params: ofPage,
      body: disconnectForm,
      bodyTypes: forms,
    },
    async (call) => {
      assertOwnOrigin(call.request.headers, baseUrl);
      const { apis, path } = await findPage(dependencies, call, call.params.page);
      for (const id of [call.body.connection_id].flat()) await apis.revokeConnection(id);
      return seeOther(call.response, `${path}/places`);
    },
  );

  // The address at which the form stands when it has failed.
  api.route(
    {
      ...common,
      method: 'get',
      path: '/connect/pages/{page}/disconnect',
      operationId: 'afterDisconnect',
      params: ofPage,
    },
    async (call) => {
      const { path } = await findPage(dependencies, call, call.params.page);
      return seeOther(call.response, `${path}/places`);
    },
  );

  api.route(
    { ...common, method: 'get', path: '/connect/pages/{page}/done', operationId: 'leavePage', params: ofPage },
    async (call) => {
      const { key, session, backUrl } = await findSession(dependencies, call, call.params.page);
      const client = await dependencies.auth.findClient(session.clientId, { requestId: call.requestId });
      if (!client?.redirect_uris.includes(session.redirectUri))
        throw badRequest('the redirect_uri is not registered any more', 'invalid_redirect_uri');
      await dependencies.sessions.end(key);
      return seeOther(call.response, backUrl, 'no-referrer');
    },
  );

  api.route(
    { ...common, method: 'get', path: `${assetsPath}/{file}`, operationId: 'asset', params: assetName },
    ({ params, request, response }) => sendAsset(request, response, web.files.get(params.file)),
  );
  return api.express();
}

interface Exchange {
  request: Request;
  response: Response;
}

/** The browser goes on with GET. */
function seeOther(
  response: Response,
  location: string,
  referrer: 'same-origin' | 'no-referrer' = 'same-origin',
): undefined {
  response
    .status(303)
    .set({ Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': referrer })
    .removeHeader('Cross-Origin-Opener-Policy');
  response.end();
}

/** @throws HttpError 404, also for a health system of the other mode */
async function healthSystemOf(
  { directory }: Dependencies,
  { params, requestId }: { params: z.output<typeof ofSystem>; requestId: string },
  { mode }: Page['client'],
): Promise<HealthSystem> {
  const found = await directory.findHealthSystem(params.health_system_id, { requestId });
  if (found?.mode !== mode) throw new HttpError('health_system_not_found', 'there is no such health system');
  return found;
}
