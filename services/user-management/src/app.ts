import { exampleRule, serviceError, userScopes } from '@tributary/contracts';
import { Api, type RunningService, type ServiceRuntime, serviceErrorBody } from '@tributary/service-kit';
import { startBackgroundJobs } from './background-jobs';
import type { Config } from './config';
import { serveConnect } from './connect/connect-routes';
import { serveSessions } from './connect/session-routes';
import { serveLinks } from './connect/links/link-routes';
import { jsonOrHtml } from './connect/pages/error-page';
import { serveConnections } from './connections/connection-routes';
import { serveCollections } from './connections/internal-routes';
import { type Dependencies, openDependencies } from './dependencies';
import { serveRegistrations } from './health-systems/registration-routes';
import { defaultExchangeRetryMs } from './health-systems/token-client';
import { serveActivity } from './outcomes/activity-routes';
import { serveUserUsage } from './usage';
import { serveOperator } from './operator/operator-routes';
import { serveUsers } from './users/user-routes';
import { serveEvents } from './webhooks/internal-event-routes';
import { serveWebhooks } from './webhooks/webhook-routes';

/**
 * Opens the dependencies, builds the APIs and starts the background jobs.
 * @param exchangeRetryMs the pause before an authorization code is sent again, in milliseconds
 * @throws Error when the database cannot be opened
 */
export async function start(
  config: Config,
  runtime: ServiceRuntime,
  exchangeRetryMs = defaultExchangeRetryMs,
): Promise<RunningService> {
  const dependencies = await openDependencies(config, runtime, exchangeRetryMs);
  const stopJobs = startBackgroundJobs(dependencies);
  return {
    publicApp: createPublicApi(dependencies).express(),
    internalApp: createInternalApi(dependencies).express(),
    // Without Redis or auth most routes still work, and the others respond with 503: an unready service would serve
    // none.
    ready: { database: () => dependencies.database.query('SELECT 1') },
    stop: async () => {
      await stopJobs();
      await dependencies.close();
    },
  };
}

function createPublicApi(dependencies: Dependencies): Api {
  const { config, log, audit } = dependencies;
  const api = new Api({
    title: 'Tributary: users and connections',
    description: `Users, their connections to health systems, and webhooks. ${exampleRule}`,
    serverUrl: config.BASE_URL,
    tags: {
      Discovery: 'Where access tokens come from.',
      Users: 'The users of a client application.',
      Limits: 'What a client application may still request.',
      Connect: 'Pages and redirects for the browser of a user.',
      Connections: 'The connections of a user to health systems, and what was collected through them.',
      Webhooks: 'Endpoints of a client application, and the events that are sent to them.',
      Activity: 'What happened to the users of a client application, in counts.',
    },
    errorBody: { schema: serviceError, body: serviceErrorBody },
    errorFormat: jsonOrHtml,
    log,
    audit,
  });
  serveUsers(api, dependencies);
  serveUserUsage(api, dependencies);
  serveConnect(api, dependencies);
  for (const [path, name] of [
    ['connections', 'Connections of a user'],
    ['links', 'Connect links of a user'],
  ] as const)
    api.protect({
      url: `${config.BASE_URL}/connect/v1/${path}`,
      authorizationServer: config.AUTH_URL,
      scopes: userScopes,
      name,
    });
  serveLinks(api, dependencies);
  serveConnections(api, dependencies);
  serveWebhooks(api, dependencies);
  serveActivity(api, dependencies);
  return api;
}

function createInternalApi(dependencies: Dependencies): Api {
  const { config, log, audit } = dependencies;
  const api = new Api({
    title: 'Connections, registrations and events, for other services',
    description: '',
    serverUrl: config.BASE_URL,
    errorFormat: jsonOrHtml,
    log,
    audit,
    documentation: { serviceKeys: config.SERVICE_KEYS },
  });
  serveCollections(api, dependencies);
  serveSessions(api, dependencies);
  serveEvents(api, dependencies);
  serveRegistrations(api, dependencies);
  serveOperator(api, dependencies);
  return api;
}
