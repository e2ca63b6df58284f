import {
  AuthClient,
  ExportEventsClient,
  exampleRule,
  exportPath,
  operationOutcome,
  userScopes,
} from '@tributary/contracts';
import { openKeyEncryptionKey } from '@tributary/key-providers';
import { objectStorageFrom } from '@tributary/object-storage';
import { assertClientKeysFit, exportedRecords, wrappingKeyTable } from '@tributary/record-storage';
import {
  AccessTokens,
  Api,
  CredentialGuard,
  type DatabaseConfig,
  FailedTokens,
  RateLimits,
  type RunningService,
  type ServiceRuntime,
  clientCredentialsAuthentication,
  ofLimit,
  openPool,
  openRedis,
  openRedisSubscriber,
  operationOutcomeBody,
  operationOutcomeFormat,
  redisStartWaitMs,
  serveUsage,
  untilReady,
  withoutTimeLimits,
} from '@tributary/service-kit';
import express, { type RequestHandler } from 'express';
import { AuditLog } from './audit/audit-log';
import { exportCaller, limitExportCallers, limitKeyOf } from './callers/export-caller';
import type { AnalyticsExportConfig } from './config';
import { exportSchema, migrateExportDatabase } from './database/export-database';
import type { Dependencies } from './dependencies';
import { serveExportCapabilities } from './discovery/capability-statement';
import { serveSmartConfiguration } from './discovery/smart-configuration';
import { serveBinaries } from './files/binary-routes';
import { serveDownloads } from './files/download-routes';
import { FileTokens } from './files/file-tokens';
import { startCompletionReports } from './jobs/completion-reports';
import { ExportJobs } from './jobs/export-jobs';
import { startJobSweep } from './jobs/job-sweep';
import { PlanningQueue } from './jobs/planning-queue';
import { startPlanning } from './jobs/planning-worker';
import { serveStatus } from './jobs/status-routes';
import { maxUnfinished, serveExports } from './manifests/export-routes';
import { ExportPlanner } from './planning/plan-export';
import { parametersParsers } from './requests/parameters-body';
import { Snapshots } from './snapshots/snapshots';

export const serviceName = 'analytics-export';

/** Sizes and times, which tests make smaller. */
export const exportSettings = {
  /** The prefix of the Redis keys of the queue. */
  queuePrefix: '{tributary}',
  /** The approximate maximum number of resources in a file. */
  fileResources: 100_000,
  /**
   * What an export without `Prefer: respond-async` may read: stored blocks, of up to 100 resources each, and bytes of
   * resources to filter or convert them.
   */
  synchronous: { maxBlocks: 50_000, maxBytes: 500_000_000 },
  /** The interval of the sweep, and the time without progress after which it queues an export again. */
  sweepSeconds: 10,
  /** How long a download may make no progress before its connection is closed, in milliseconds. */
  stallTimeoutMs: 120_000,
};

/** The approximate maximum size of a file, in bytes of NDJSON. */
const fileBytes = 100_000_000;

/**
 * Starts analytics-export: the API at {analytics_url}, the planning of asynchronous exports and the sweep of old ones.
 */
export async function start(
  config: AnalyticsExportConfig,
  runtime: ServiceRuntime,
  { queuePrefix, fileResources, synchronous, sweepSeconds, stallTimeoutMs } = exportSettings,
): Promise<RunningService> {
  const { log } = runtime;
  await migrateExportDatabase(config);
  const pool = openPool(config, exportSchema, { log });
  const recordsPool = openPool(recordsDatabase(config), 'fhir_store', { log });
  // It only unwraps: fhir-store creates the wrapping keys, and rotates them.
  const kek = await openKeyEncryptionKey(config, {
    run: async (sql, values) => (await recordsPool.query(sql, values)).rows as unknown[],
    table: wrappingKeyTable,
    log,
  });
  await refuseWrongKey(() => assertClientKeysFit(recordsPool, kek));
  const [subscriber, commands] = [openRedisSubscriber(config, log), openRedis(config, log)];
  // Without it client credentials are refused.
  await untilReady(commands, redisStartWaitMs).catch(() => undefined);
  const auth = new AuthClient(runtime.internalHttp('auth', config.AUTH_INTERNAL_URL));
  const events = new ExportEventsClient(runtime.internalHttp('user-management', config.USER_MANAGEMENT_INTERNAL_URL));
  const records = exportedRecords(recordsPool, kek, await objectStorageFrom(config, log));
  const limits = new RateLimits(commands, config.RATE_LIMITS);
  const jobs = new ExportJobs(pool, config.FILE_TOKEN_KEY);
  const queue = new PlanningQueue(commands, queuePrefix, log);
  const credentials = { auth, guard: new CredentialGuard({ ...config, redis: commands }) };
  const [ofExports, ofDownloads, ofStatus] = [
    limits.limit('export'),
    limits.limit('download'),
    limits.limit('export-status'),
  ];
  const dependencies: Dependencies = {
    caller: exportCaller({
      tokens: new AccessTokens(auth, subscriber, new FailedTokens(limits, config.TRUSTED_PROXIES)),
      ...credentials,
    }),
    limits: {
      export: limitExportCallers(ofExports),
      download: limitExportCallers(ofDownloads),
      status: limitExportCallers(ofStatus),
    },
    records,
    snapshots: new Snapshots(pool, config.RECORDS_DATABASE_URL === undefined ? undefined : recordsPool),
    planner: new ExportPlanner(records, { fileResources, fileBytes }),
    jobs,
    queue,
    auditLog: new AuditLog(runtime.audit, config.TRUSTED_PROXIES),
    fileTokens: new FileTokens(config.FILE_TOKEN_KEY),
    analyticsUrl: config.ANALYTICS_URL,
    synchronous,
    stallTimeoutMs,
  };
  const planning = startPlanning(config, queuePrefix, dependencies, log);
  const tasks = [startJobSweep(jobs, queue, sweepSeconds, log), startCompletionReports(jobs, events, log)];
  const api = new Api({
    title: 'Tributary: bulk export',
    description: `Exports of the FHIR records of one user, or of all users of a client. ${exampleRule}`,
    serverUrl: config.ANALYTICS_URL,
    tags: {
      'Bulk export': 'Exports as FHIR Bulk Data Access specifies them, and their files.',
      Discovery: 'What this API can do, and where tokens come from.',
    },
    errorBody: { schema: operationOutcome, contentType: 'application/fhir+json', body: operationOutcomeBody },
    errorFormat: operationOutcomeFormat,
    bodyParsers: parametersParsers,
    // The export handler itself refuses unknown parameters, with `Prefer: handling=strict` only (FHIR).
    unknownParameters: 'ignored',
    audit: { trail: runtime.audit, trustedProxies: config.TRUSTED_PROXIES },
    log,
  });
  serveExports(api, dependencies);
  serveStatus(api, dependencies);
  serveDownloads(api, dependencies);
  serveBinaries(api, dependencies);
  const keyOf = (clientId: string): string => limitKeyOf({ clientId });
  serveUsage(api, {
    path: '/bulk-data/v1/usage',
    operationId: 'readExportUsage',
    subject: 'exports of all users of the client',
    tags: ['Bulk export'],
    authentication: clientCredentialsAuthentication(credentials),
    rateLimits: limits,
    limits: [
      ...[ofExports, ofDownloads, ofStatus].flatMap((limit) => ofLimit(limit, { keyOf })),
      {
        name: 'unfinished-exports',
        description: 'Asynchronous exports of all users of a client that are not finished.',
        quota: maxUnfinished,
        read: async (clientId) => ({
          remaining: Math.max(0, maxUnfinished - (await jobs.unfinishedOf({ clientId }))),
        }),
      },
    ],
  });
  serveExportCapabilities(api, config.ANALYTICS_URL, config.AUTH_URL);
  serveSmartConfiguration(api, config.AUTH_URL);
  api.protect({
    url: `${config.ANALYTICS_URL}${exportPath.replace('/$export', '')}`,
    authorizationServer: config.AUTH_URL,
    scopes: [...userScopes, 'system/*.rs'],
    name: 'Bulk export',
  });

  return {
    publicApp: express().disable('x-powered-by').disable('etag').use(decodeDollar, api.express()),
    ready: {
      database: () => pool.query('SELECT 1'),
      records: () => recordsPool.query('SELECT FROM fhir_store.record LIMIT 0'),
      'key-encryption key': () => assertClientKeysFit(recordsPool, kek),
    },
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
      await planning.close();
      await queue.close();
      subscriber.disconnect();
      commands.disconnect();
      await Promise.all([recordsPool.end(), pool.end()]);
    },
  };
}

/** fhir-store creates the tables of the keys, and grants the right to read them, when it first starts. */
const isNotCreatedYet = new Set<unknown>(['42P01', '42501']);

/**
 * With a wrong key, asynchronous exports would fail before the readiness check keeps requests away. That check also
 * reports tables that are not there yet.
 * @throws Error when the key opens none of the stored keys, or when its key service or the database is unavailable
 */
async function refuseWrongKey(check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!isNotCreatedYet.has((error as { code?: unknown } | null)?.code)) throw error;
  }
}

/** Some clients percent-encode the dollar sign of `$export`. */
const decodeDollar: RequestHandler = (request, _response, next) => {
  request.url = request.url.replace(/^([^?]*?)%24/, '$1$$');
  next();
};

/**
 * Statements that read records have no time limit: they last as long as a download, which
 * `stallTimeoutMs` bounds.
 */
function recordsDatabase(config: AnalyticsExportConfig): DatabaseConfig {
  return {
    ...withoutTimeLimits(config),
    DATABASE_URL: config.RECORDS_DATABASE_URL ?? config.DATABASE_URL,
    DATABASE_POOL_SIZE: config.RECORDS_POOL_SIZE,
  };
}
