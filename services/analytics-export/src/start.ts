import { AuthClient, InternalHttp } from '@tributary/contracts';
import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import { RecordExport } from '@tributary/record-storage';
import {
  AccessTokens,
  type DatabaseConfig,
  type RunningService,
  openPool,
  openRedis,
  withoutTimeLimits,
} from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Accesses } from './audit/audit-log';
import { createApp } from './app';
import type { AnalyticsExportConfig } from './config';
import { exportSchema, migrateExportDatabase } from './database/export-database';
import { ClientSlots } from './slots/client-slots';
import { ExportJobs } from './jobs/export-jobs';
import { JobSweep } from './jobs/job-sweep';
import { PlanningQueue } from './jobs/planning-queue';
import { PlanningWorker } from './jobs/planning-worker';
import { ExportPlanner } from './planning/plan-export';
import { Snapshots } from './snapshots/snapshots';

const recordsSchema = 'fhir_store';
/** Synchronous exports that are planned at once in one replica. */
const plannedAtOnce = 8;

/** Starts analytics-export. */
export async function start(config: AnalyticsExportConfig, log: Logger): Promise<RunningService> {
  const kek = await LocalKeyEncryptionKey.fromFile(config.KEY_ENCRYPTION_KEY_FILE);
  await migrateExportDatabase(config);
  const pool = watched(openPool(config, exportSchema), log);
  const records = watched(openPool(recordsDatabase(config), recordsSchema), log);
  const [subscriber, commands] = [openRedis(config.REDIS_URL, log), openRedis(config.REDIS_URL, log)];
  const auth = new AuthClient(
    new InternalHttp({
      service: 'auth',
      baseUrl: config.AUTH_INTERNAL_URL,
      caller: 'analytics-export',
      key: config.SERVICE_KEY,
    }),
  );

  const reader = new RecordExport({ pool: records, kek });
  const snapshots = new Snapshots({
    snapshotTime: () => new RecordExport({ pool, kek }).snapshotTime(),
    primary: pool,
    ...(config.RECORDS_DATABASE_URL === undefined ? {} : { replica: records }),
  });
  const planner = new ExportPlanner(reader, {
    fileResources: config.EXPORT_FILE_RESOURCES,
    fileBytes: config.EXPORT_FILE_BYTES,
  });
  const jobs = new ExportJobs(pool, config.PAGING_KEY);
  const accesses = new Accesses(pool);
  const queue = new PlanningQueue(commands, config.QUEUE_PREFIX, log);
  const worker = new PlanningWorker({
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    jobs,
    planner,
    snapshots,
    accesses,
    log,
  });
  const sweep = new JobSweep({
    jobs,
    accesses,
    accessRetentionDays: config.ACCESS_RETENTION_DAYS,
    queue,
    everySeconds: config.SWEEP_EVERY_SECONDS,
    log,
  });
  sweep.start();
  const publicApp = createApp({
    reader,
    snapshots,
    planner,
    jobs,
    queue,
    accesses,
    tokens: new AccessTokens(auth, subscriber),
    auth,
    pagingKey: config.PAGING_KEY,
    analyticsUrl: config.ANALYTICS_URL,
    authUrl: config.AUTH_URL,
    planningSlots: new ClientSlots({ slots: plannedAtOnce, patienceMs: 20_000 }),
    synchronousLimits: { maxBlocks: config.SYNCHRONOUS_EXPORT_BLOCKS, maxBytes: config.SYNCHRONOUS_EXPORT_BYTES },
    slots: new ClientSlots({ slots: config.DOWNLOADS_AT_ONCE, patienceMs: 20_000 }),
    stalledAfterMs: config.STALLED_DOWNLOAD_SECONDS * 1000,
    log,
  });
  return {
    publicApp,
    ready: {
      database: () => pool.query('SELECT 1'),
      records: () => records.query('SELECT FROM fhir_store.record LIMIT 0'),
      'key-encryption key': () => reader.assertKekMatches(),
    },
    stop: async () => {
      await sweep.stop();
      await worker.close();
      await queue.close();
      subscriber.disconnect();
      commands.disconnect();
      await Promise.all([records.end(), pool.end()]);
    },
  };
}

/** Records are read for as long as a download takes, which `STALLED_DOWNLOAD_SECONDS` bounds. */
function recordsDatabase(config: AnalyticsExportConfig): DatabaseConfig {
  return {
    ...withoutTimeLimits(config),
    DATABASE_URL: config.RECORDS_DATABASE_URL ?? config.DATABASE_URL,
    DATABASE_POOL_SIZE: config.RECORDS_POOL_SIZE,
  };
}

function watched(pool: Pool, log: Logger): Pool {
  return pool.on('error', (error) => log.warn({ err: { message: error.message } }, 'a database connection was lost'));
}
