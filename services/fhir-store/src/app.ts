import type { RequestListener } from 'node:http';
import type { BlockList } from 'node:net';
import type { AuditTrail } from '@tributary/audit-log';
import type { SealerSecret } from '@tributary/key-vault';
import type { RecordStorage } from '@tributary/record-storage';
import { type AccessTokens, Api, anyone, operationOutcomeFormat, type ServiceKeys } from '@tributary/service-kit';
import type { Express } from 'express';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { internalApi } from './collection/internal-api';
import { serveDiscovery } from './capabilities/discovery';
import { fhirEndpoint } from './endpoint/fhir-endpoint';
import type { FhirLimits } from './endpoint/fhir-limits';
import type { LongWorkThread } from './long-work/long-work-thread';
import { type ContentLimits, defaultContentLimits } from './fhir-http/limits';
import { fhirDocument } from './open-api/document';
import { PageTokens } from './fhir-http/page-tokens';

export interface AppDependencies {
  storage: RecordStorage;
  /** By default all requests are carried out in this thread. */
  thread?: LongWorkThread;
  pool: Pool;
  tokens: AccessTokens;
  limits: FhirLimits;
  /** By default those of the documentation. */
  contentLimits?: ContentLimits;
  pageTokenKey: string | SealerSecret;
  baseUrl: string;
  /** The issuer of the access tokens. */
  authUrl: string;
  serviceKeys: ServiceKeys;
  audit: AuditTrail;
  trustedProxies: BlockList;
  log: Logger;
}

/** The two APIs of the FHIR store: the public one below /dstu2, /stu3 and /r4, and the one for other services. */
export function createApps({
  storage,
  thread,
  pool,
  tokens,
  limits,
  contentLimits = defaultContentLimits,
  pageTokenKey,
  baseUrl,
  authUrl,
  serviceKeys,
  audit,
  trustedProxies,
  log,
}: AppDependencies): {
  publicApp: RequestListener;
  internalApp: Express;
} {
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
  const publicApp = fhirEndpoint(
    {
      baseUrl,
      authUrl,
      storage,
      thread,
      tokens,
      limits,
      contentLimits,
      pages: new PageTokens(pageTokenKey),
      audit,
      trustedProxies,
      log,
    },
    api.express(),
  );
  const internal = internalApi({ storage, pool, serviceKeys, audit: { trail: audit, trustedProxies }, log });
  return { publicApp, internalApp: internal.express() };
}
