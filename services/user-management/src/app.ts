import { type ClientApplication, exampleRule, serviceError, userScopes } from '@tributary/contracts';
import {
  Api,
  RateLimits,
  type RouteLimit,
  type RunningService,
  type ServiceRuntime,
  limitAddresses,
  limitCallers,
  rateLimit,
  serviceErrorBody,
} from '@tributary/service-kit';
import { startBackgroundJobs } from './background-jobs';
import { type Components, createComponents } from './components';
import { type Config, hourMs } from './config';
import { BrowserCookie } from './connect/browser-cookie';
import type { ConnectDependencies } from './connect/connect-dependencies';
import { addConnectRoutes } from './connect/connect-routes';
import { addLinkRoutes } from './connect/links/link-routes';
import { jsonOrHtml } from './connect/pages/error-page';
import { type ConnectionCaller, connectionCaller } from './connections/connection-caller';
import { addConnectionRoutes } from './connections/connection-routes';
import { addInternalConnectionRoutes } from './connections/internal-routes';
import { addInternalRegistrationRoutes } from './health-systems/registration-routes';
import { defaultExchangeRetryMs } from './health-systems/token-client';
import { type Resources, openResources, serviceName } from './resources';
import { addUserRoutes } from './users/user-routes';
import { addInternalEventRoutes } from './webhooks/internal-event-routes';
import { addWebhookRoutes } from './webhooks/webhook-routes';

/**
 * Opens the resources, builds the APIs and starts the background jobs.
 * @param exchangeRetryMs the pause before an authorization code is sent again, in milliseconds
 * @throws Error when the database cannot be opened
 */
export async function start(
  config: Config,
  runtime: ServiceRuntime,
  exchangeRetryMs = defaultExchangeRetryMs,
): Promise<RunningService> {
  const resources = await openResources(config, runtime);
  const components = createComponents(resources, exchangeRetryMs);
  const jobs = startBackgroundJobs(resources, components);
  return {
    publicApp: createPublicApi(resources, components).express(),
    internalApp: createInternalApi(resources, components).express(),
    // Without Redis or auth most routes still work, and the others respond with 503: an unready service would serve
    // none.
    ready: { database: () => resources.database.query('SELECT 1') },
    stop: async () => {
      await jobs.stop();
      await components.collectionQueue.close();
      await resources.close();
    },
  };
}

function createPublicApi(resources: Resources, components: Components): Api {
  const { config, log, audit, auth, guard, accessTokens, http, redis } = resources;
  const limits = new RateLimits(redis, config.RATE_LIMITS);
  const api = new Api({
    title: 'Tributary: users and connections',
    description: `Users, their connections to health systems, and webhooks. ${exampleRule}`,
    serverUrl: config.BASE_URL,
    tags: {
      Discovery: 'Where access tokens come from.',
      Users: 'The users of a client application.',
      Connect: 'Pages and redirects for the browser of a user.',
      Connections: 'The connections of a user to health systems, and what was collected through them.',
      Webhooks: 'Endpoints of a client application, and the events that are sent to them.',
    },
    errorBody: { schema: serviceError, body: serviceErrorBody },
    errorFormat: jsonOrHtml,
    log,
    audit,
  });
  addUserRoutes(api, {
    auth,
    guard,
    users: components.users,
    codes: components.userCodes,
    changes: components.userChanges,
    hourlyLimit: hourlyLimit(resources, serviceName),
  });
  const connect: ConnectDependencies = {
    ...resources,
    ...components,
    consentEvents: components.consentEvents,
    cookie: new BrowserCookie(config.BASE_URL),
    sandboxMode: config.SANDBOX_MODE,
    addressLimits: limitAddresses(limits.limit('connect-address'), config.TRUSTED_PROXIES),
    userLimit: limits.limit('connect-user', 'refuse'),
  };
  addConnectRoutes(api, connect);
  const authentication = connectionCaller(accessTokens, auth, guard);
  const callerLimits = limitCallers<ConnectionCaller>([
    {
      limit: limits.limit('connections-user'),
      keyOf: (caller) => (caller.by === 'user' ? String(caller.serviceUserId) : undefined),
    },
    { limit: limits.limit('connections-client'), keyOf: ({ clientId }) => clientId },
  ]);
  for (const [path, name] of [
    ['connections', 'Connections of a user'],
    ['links', 'Connect links of a user'],
  ])
    api.protect({
      url: `${config.BASE_URL}/connect/v1/${path}`,
      authorizationServer: config.AUTH_URL,
      scopes: userScopes,
      name: String(name),
    });
  addLinkRoutes(api, {
    ...connect,
    baseUrl: config.BASE_URL,
    links: components.connectLinks,
    authentication,
    callerLimits,
  });
  addConnectionRoutes(api, {
    authentication,
    users: components.users,
    connections: components.connections,
    collectionQueue: components.collectionQueue,
    connectionLimits: callerLimits,
    refreshLimits: {
      ofConnection: limits.limit('refresh-connection'),
      ofClient: limits.limit('refresh-client'),
    },
  });
  addWebhookRoutes(api, {
    auth,
    guard,
    endpoints: components.webhookEndpoints,
    deliveries: components.deliveryLog,
    sender: components.webhookSender,
    http,
    hourlyLimit: hourlyLimit(resources, `${serviceName}-webhooks`),
    sendLimits: limitCallers<ClientApplication>([
      { limit: limits.limit('webhook-test'), keyOf: ({ client_id }) => client_id },
    ]),
  });
  return api;
}

function createInternalApi({ config, log, audit, database, keys }: Resources, components: Components): Api {
  const api = new Api({
    title: 'Connections, registrations and events, for other services',
    description: '',
    serverUrl: config.BASE_URL,
    errorFormat: jsonOrHtml,
    log,
    audit,
    documentation: { serviceKeys: config.SERVICE_KEYS },
  });
  addInternalConnectionRoutes(api, {
    database,
    keys,
    serviceKeys: config.SERVICE_KEYS,
    connections: components.connections,
    grantAccessTokens: components.grantAccessTokens,
    reports: components.collectionReports,
  });
  addInternalEventRoutes(api, { serviceKeys: config.SERVICE_KEYS, database });
  addInternalRegistrationRoutes(api, { serviceKeys: config.SERVICE_KEYS, registrations: components.registrations });
  return api;
}

/** @param name identifies the counters in Redis */
function hourlyLimit({ config, redis }: Resources, name: string): RouteLimit {
  return rateLimit({
    redis,
    name,
    limit: config.RATE_LIMIT_PER_HOUR,
    windowMs: hourMs,
    keyOf: (response) => (response.locals['principal'] as { client_id: string }).client_id,
  });
}
