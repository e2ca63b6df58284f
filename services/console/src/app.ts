import { Api, type ApiOptions, HttpError, anyone, serviceErrorFormat } from '@tributary/service-kit';
import type { Express } from 'express';
import type { ConsoleConfig } from './config';

interface Dependencies {
  settings: Pick<ConsoleConfig, 'BASE_URL'>;
  log: ApiOptions['log'];
}

/** The pages at {base_url}/connect. */
export function consoleApp({ settings, log }: Dependencies): Express {
  return new Api({
    title: 'Connect pages',
    description: '',
    serverUrl: settings.BASE_URL,
    errorFormat: serviceErrorFormat,
    log,
    audit: { none: 'its calls act with the token of the user, and the APIs that they call record it' },
    documentation: false,
  })
    .route(
      {
        method: 'get',
        path: '/connect',
        operationId: 'openConnectPages',
        summary: '',
        authentication: anyone,
        responses: {},
      },
      () => {
        throw new HttpError('not_found', 'nothing is here');
      },
    )
    .express();
}
