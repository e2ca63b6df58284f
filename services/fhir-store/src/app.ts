import type { RequestListener } from 'node:http';
import type { KeysStatusReader } from '@tributary/key-providers';
import type { SealerSecret } from '@tributary/key-vault';
import { Api, type ServiceKeys, anyone, operationOutcomeFormat } from '@tributary/service-kit';
import type { Express } from 'express';
import type { Pool } from 'pg';
import { internalApi } from './collection/internal-api';
import { serveDiscovery } from './capabilities/discovery';
import { type FhirEndpointDependencies, fhirEndpoint } from './endpoint/fhir-endpoint';
import { type ContentLimits, defaultContentLimits } from './fhir-http/limits';
import { fhirDocument } from './open-api/document';
import { PageTokens } from './fhir-http/page-tokens';

export interface AppDependencies extends Omit<FhirEndpointDependencies, 'contentLimits' | 'pages'> {
  pool: Pool;
  /** By default those of the documentation. */
  contentLimits?: ContentLimits;
  pageTokenKey: string | SealerSecret;
  serviceKeys: ServiceKeys;
  keysStatus: KeysStatusReader;
}

/** The two APIs of the FHIR store: the public one below /dstu2, /stu3 and /r4, and the one for other services. */
export function createApps(dependencies: AppDependencies): { publicApp: RequestListener; internalApp: Express } {
  const { baseUrl, authUrl, audit, trustedProxies, log } = dependencies;
  const api = new Api({
    title: 'Tributary: FHIR',
    description: "Each user's FHIR record.",
    serverUrl: baseUrl,
    documentation: false,
    errorFormat: operationOutcomeFormat,
    log,
    audit: { none: 'these are public documents; the FHIR endpoint records accesses' },
  });
  const document = fhirDocument(baseUrl);
  api.route(
    {
      method: 'get',
      path: '/openapi.json',
      operationId: 'getDocument',
      summary: 'The OpenAPI document of FHIR',
      authentication: anyone,
      responses: { 200: { description: 'OpenAPI 3.1.' } },
    },
    () => document,
  );
  serveDiscovery(api, baseUrl, authUrl);
  const { contentLimits = defaultContentLimits, pageTokenKey } = dependencies;
  return {
    publicApp: fhirEndpoint({ ...dependencies, contentLimits, pages: new PageTokens(pageTokenKey) }, api.express()),
    internalApp: internalApi({ ...dependencies, audit: { trail: audit, trustedProxies } }).express(),
  };
}
