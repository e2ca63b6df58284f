import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import { authorizeRoutes } from './authorization/authorize-routes';
import { GrantStates } from './authorization/grant';
import { SigningKey } from './authorization/signing-key';
import { tokenRoutes } from './authorization/token-routes';
import type { Config } from './config';
import { controlRoutes } from './control/control-routes';
import { elsewhereRoutes } from './control/elsewhere-routes';
import { Observations } from './control/observations';
import { showConnected } from './demo/connected-page';
import { fhirRoutes } from './fhir/fhir-routes';
import type { People } from './records/person';
import { releases } from './releases';
import type { Sandbox } from './sandbox';
import { scenarioNames, unknownScenario } from './scenarios/catalogue';
import { SignedTokens } from './signed-tokens';

/** The state of the sandbox. @param now the clock, in epoch milliseconds */
export function createSandbox(config: Config, people: People, now: () => number = Date.now): Sandbox {
  const { origins, browserOrigin, elsewhereOrigin, clients, secret } = config;
  return {
    origins,
    browserOrigin,
    elsewhereOrigin,
    people,
    now,
    clients: new Map(clients.map((client) => [client.client_id, client])),
    tokens: new SignedTokens(secret),
    grants: new GrantStates(),
    signingKey: new SigningKey(),
    observations: new Observations(),
  };
}

/** The express application: OAuth and FHIR, each also under the paths of scenarios. */
export function createApp(sandbox: Sandbox): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.get(['/healthz', '/readyz'], (_request, response) => void response.json({ status: 'ok' }));
  app.get('/', (_request, response) => {
    response.json({
      sandbox: 'a simulated health system for developers',
      fhir: releases.map((release) => `/fhir/${release}`),
      people: '/sandbox/patients',
      scenarios: '/sandbox/scenarios',
    });
  });
  app.get('/demo/connected', showConnected);
  app.use('/sandbox', controlRoutes(sandbox));
  app.use('/elsewhere', elsewhereRoutes(sandbox));
  app.use('/s/:scenarios', (request, response, next) => {
    const unknown = unknownScenario(scenarioNames(request.params.scenarios));
    if (unknown === undefined) next();
    else notFound(`there is no scenario ${unknown}`)(request, response);
  });
  for (const prefix of ['', '/s/:scenarios']) {
    app.use(`${prefix}/oauth2`, authorizeRoutes(sandbox), tokenRoutes(sandbox));
    app.use(`${prefix}/fhir`, fhirRoutes(sandbox));
  }
  app.use(notFound('there is nothing at this address'));
  app.use(failure);
  return app;
}

function notFound(message: string) {
  return (_request: Request, response: Response): void => void response.status(404).json({ error: message });
}

const failure: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const status = clientStatus(error);
  if (status >= 500) console.error(error);
  response
    .status(status)
    .json({ error: status >= 500 ? 'the sandbox failed; its output tells why' : 'the request cannot be read' });
};

/** The status of an error of body-parser or express about the request; 500 for other errors. */
function clientStatus(error: unknown): number {
  const status = (error as { status?: unknown }).status;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
