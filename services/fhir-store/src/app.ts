import type { RequestListener } from 'node:http';
import type { RecordStorage } from '@tributary/record-storage';
import { type AccessTokens, Api, operationOutcomeFormat } from '@tributary/service-kit';
import type { Express } from 'express';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { internalApi } from './collection/internal-api';
import { documentFhir } from './documentation';
import { fhirEndpoint } from './endpoint/fhir-endpoint';
import { PageTokens } from './fhir-http/page-tokens';

export interface AppDependencies {
  storage: RecordStorage;
  pool: Pool;
  tokens: AccessTokens;
  pageTokenKey: string;
  baseUrl: string;
  serviceKeys: Record<string, string>;
  log: Logger;
}

/** The two APIs of the FHIR store: the public one below /dstu2, /stu3 and /r4, and the one for other services. */
export function createApps({ storage, pool, tokens, pageTokenKey, baseUrl, serviceKeys, log }: AppDependencies): {
  publicApp: RequestListener;
  internalApp: Express;
} {
  const api = new Api({
    title: 'Tributary: FHIR',
    description:
      "Each user's FHIR record, in dstu2, stu3 and r4. Everything read and written belongs to the user of the bearer token. `/{release}/metadata` lists every type and search parameter.",
    serverUrl: baseUrl,
    tags: { FHIR: 'The record of a user.' },
    errorFormat: operationOutcomeFormat,
    log,
  });
  documentFhir(api, tokens);
  const publicApp = fhirEndpoint({ baseUrl, storage, tokens, pages: new PageTokens(pageTokenKey), log }, api.express());
  return { publicApp, internalApp: internalApi({ storage, pool, serviceKeys, log }).express() };
}
