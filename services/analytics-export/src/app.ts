import type { AuthClient } from '@tributary/contracts';
import type { RecordExport } from '@tributary/record-storage';
import { type AccessTokens, Api, operationOutcomeFormat } from '@tributary/service-kit';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Accesses } from './audit/audit-log';
import { exportCaller } from './callers/export-caller';
import { serveCapabilityStatement } from './discovery/capability-statement';
import { serveSmartConfiguration } from './discovery/smart-configuration';
import { serveDownloads } from './files/download-routes';
import type { ClientSlots } from './slots/client-slots';
import { FileTokens } from './files/file-tokens';
import type { ExportJobs } from './jobs/export-jobs';
import type { PlanningQueue } from './jobs/planning-queue';
import { serveStatus } from './jobs/status-routes';
import { type SynchronousLimits, serveExports } from './manifests/export-routes';
import type { ExportPlanner } from './planning/plan-export';
import { parametersParsers } from './requests/parameters-body';
import type { Snapshots } from './snapshots/snapshots';

export interface AppDependencies {
  reader: RecordExport;
  snapshots: Snapshots;
  planner: ExportPlanner;
  jobs: ExportJobs;
  queue: PlanningQueue;
  accesses: Accesses;
  tokens: AccessTokens;
  auth: AuthClient;
  /** The secret of file tokens. */
  pagingKey: string;
  analyticsUrl: string;
  authUrl: string;
  slots: ClientSlots;
  planningSlots: ClientSlots;
  synchronousLimits: SynchronousLimits;
  stalledAfterMs: number;
  log: Logger;
}

/** The API at {analytics_url}. */
export function createApp({
  reader,
  snapshots,
  planner,
  jobs,
  queue,
  accesses,
  tokens,
  auth,
  pagingKey,
  analyticsUrl,
  authUrl,
  slots,
  planningSlots,
  synchronousLimits,
  stalledAfterMs,
  log,
}: AppDependencies): Express {
  const caller = exportCaller(tokens, auth);
  const manifest = { analyticsUrl, tokens: new FileTokens(pagingKey) };
  const api = new Api({
    title: 'Tributary: bulk export',
    description: 'Exports of the FHIR records of one user, or of all users of a client.',
    serverUrl: analyticsUrl,
    errorFormat: operationOutcomeFormat,
    bodyParsers: parametersParsers,
    log,
  });
  serveExports(api, {
    caller,
    snapshots,
    planner,
    jobs,
    queue,
    accesses,
    manifest,
    slots: planningSlots,
    limits: synchronousLimits,
  });
  serveStatus(api, { caller, jobs, accesses, manifest });
  serveDownloads(api, { caller, tokens: manifest.tokens, reader, snapshots, jobs, accesses, slots, stalledAfterMs });
  serveCapabilityStatement(api, analyticsUrl);
  serveSmartConfiguration(api, authUrl);
  return express().disable('x-powered-by').disable('etag').use(plainDollar, api.express());
}

/** Some clients encode the dollar sign of `$export`, which means the same. */
const plainDollar: RequestHandler = (request, _response, next) => {
  request.url = request.url.replace(/^([^?]*?)%24/, '$1$$');
  next();
};
