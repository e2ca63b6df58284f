import type { AuthClient } from '@tributary/contracts';
import type { FileLimits, RecordExport } from '@tributary/record-storage';
import { type AccessTokens, Api, operationOutcomeFormat } from '@tributary/service-kit';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { exportCaller } from './callers/export-caller';
import { serveSmartConfiguration } from './discovery/smart-configuration';
import { serveDownloads } from './files/download-routes';
import { FileTokens } from './files/file-tokens';
import { serveExports } from './manifests/export-routes';
import { ExportPlanner } from './planning/plan-export';

export interface AppDependencies {
  reader: RecordExport;
  tokens: AccessTokens;
  auth: AuthClient;
  /** The secret of file tokens. */
  pagingKey: string;
  limits: FileLimits;
  analyticsUrl: string;
  authUrl: string;
  stalledAfterMs: number;
  log: Logger;
}

/** The API at {analytics_url}. */
export function createApp({ reader, tokens, auth, pagingKey, limits, analyticsUrl, authUrl, stalledAfterMs, log }: AppDependencies): Express {
  const caller = exportCaller(tokens, auth);
  const fileTokens = new FileTokens(pagingKey);
  const api = new Api({ title: 'Tributary: bulk export', description: 'Exports of the FHIR records of one user, or of all users of a client.', serverUrl: analyticsUrl, errorFormat: operationOutcomeFormat, log });
  serveExports(api, { caller, reader, planner: new ExportPlanner(reader, limits), manifest: { analyticsUrl, tokens: fileTokens } });
  serveDownloads(api, { caller, tokens: fileTokens, reader, stalledAfterMs });
  serveSmartConfiguration(api, authUrl);
  return express().disable('x-powered-by').disable('etag').use(plainDollar, api.express());
}

/** Some clients encode the dollar sign of `$export`, which means the same. */
const plainDollar: RequestHandler = (request, _response, next) => {
  request.url = request.url.replace(/^([^?]*?)%24/, '$1$$');
  next();
};
