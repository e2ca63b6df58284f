import { AuthClient, InternalHttp } from '@tributary/contracts';
import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import { RecordExport } from '@tributary/record-storage';
import { AccessTokens, type RunningService, openPool, openRedis } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { createApp } from './app';
import type { AnalyticsExportConfig } from './config';

const recordsSchema = 'fhir_store';

/** Starts analytics-export. */
export async function start(config: AnalyticsExportConfig, log: Logger): Promise<RunningService> {
  const kek = await LocalKeyEncryptionKey.fromFile(config.KEY_ENCRYPTION_KEY_FILE);
  const records = openPool(config.RECORDS_DATABASE_URL ?? config.DATABASE_URL, recordsSchema, config.RECORDS_POOL_SIZE);
  records.on('error', (error) => log.warn({ err: { message: error.message } }, 'a database connection was lost'));
  const subscriber = openRedis(config.REDIS_URL, log);
  const auth = new AuthClient(new InternalHttp({ service: 'auth', baseUrl: config.AUTH_INTERNAL_URL, caller: 'analytics-export', key: config.SERVICE_KEY }));
  const publicApp = createApp({
    reader: new RecordExport({ pool: records, kek }),
    tokens: new AccessTokens(auth, subscriber),
    auth,
    pagingKey: config.PAGING_KEY,
    limits: { fileResources: config.EXPORT_FILE_RESOURCES, fileBytes: config.EXPORT_FILE_BYTES },
    analyticsUrl: config.ANALYTICS_URL,
    authUrl: config.AUTH_URL,
    stalledAfterMs: config.STALLED_DOWNLOAD_SECONDS * 1000,
    log,
  });
  return {
    publicApp,
    ready: { records: () => records.query('SELECT FROM fhir_store.record LIMIT 0') },
    stop: async () => {
      subscriber.disconnect();
      await records.end();
    },
  };
}
