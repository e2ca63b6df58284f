import {
  AuthClient,
  ConnectSessionsClient,
  DirectoryClient,
  OperatorAuditClient,
  OperatorClientsClient,
  OperatorConnectionsClient,
  OperatorDirectoryClient,
  OperatorKeysClient,
  ReadinessClient,
} from '@tributary/contracts';
import { KeysStatusReader, rewrapDataKeys } from '@tributary/key-providers';
import { PublicApi } from '@tributary/outbound';
import {
  AccessTokens,
  BrowserCookie,
  FailedTokens,
  RateLimits,
  limitAddresses,
  openRedis,
  openRedisSubscriber,
  readConfig,
  redisStartWaitMs,
  runService,
  startPeriodicTask,
  untilReady,
} from '@tributary/service-kit';
import express, { type RequestHandler } from 'express';
import { config, serviceName } from './config';
import { consoleApp } from './connect-pages/app';
import { readWebApplication } from './connect-pages/screens/web-application';
import { PageSessions } from './connect-pages/sessions/page-sessions';
import { deleteExpired } from './developer-console/database/expiry-sweep';
import { openConsoleDatabase } from './developer-console/database/open-database';
import { openDependencies } from './developer-console/dependencies';
import { developerConsole } from './developer-console/developer-console';
import { smtpSender } from './developer-console/mail/smtp';
import { consolePages } from './developer-console/web/console-pages';
import { readWebAssets } from './web-assets';

void runService({
  name: serviceName,
  readConfig: () => readConfig(config),
  start: async (settings, runtime) => {
    const { log } = runtime;
    const { pool, keys, kek, close } = await openConsoleDatabase(settings, log);
    const [subscriber, redis] = [openRedisSubscriber(settings, log), openRedis(settings, log)];
    // Without it nobody can sign in.
    await untilReady(redis, redisStartWaitMs).catch(() => undefined);
    const authHttp = runtime.internalHttp('auth', settings.AUTH_INTERNAL_URL);
    const userManagementHttp = runtime.internalHttp('user-management', settings.USER_MANAGEMENT_INTERNAL_URL);
    const searchHttp = runtime.internalHttp('search', settings.SEARCH_INTERNAL_URL);
    const fhirStoreHttp = runtime.internalHttp('fhir-store', settings.FHIR_STORE_INTERNAL_URL);
    const workerHttp = runtime.internalHttp('ingestion-worker', settings.INGESTION_WORKER_INTERNAL_URL);
    const auditLogHttp = runtime.internalHttp('audit-log', settings.AUDIT_LOG_INTERNAL_URL);
    const readinessOf = (service: string, url: string): ReadinessClient =>
      new ReadinessClient(runtime.internalHttp(service, url));
    const auth = new AuthClient(authHttp);
    const rateLimits = new RateLimits(redis, settings.RATE_LIMITS);
    /** The audit log tells accesses by the user agent. */
    const apiAt = (url: string, userAgent: string): PublicApi =>
      new PublicApi(url, () => runtime.identity?.options(), userAgent);
    const [ofPages, ofConsole] = ['tributary-connect', 'tributary-console'] as const;
    const connectPages = consoleApp({
      baseUrl: settings.BASE_URL,
      auth,
      tokens: new AccessTokens(auth, subscriber, new FailedTokens(rateLimits, settings.TRUSTED_PROXIES)),
      sessions: new PageSessions(redis),
      cookie: new BrowserCookie(settings.BASE_URL),
      apis: { base: apiAt(settings.API_URL, ofPages), search: apiAt(settings.SEARCH_API_URL, ofPages) },
      directory: new DirectoryClient(searchHttp),
      connectSessions: new ConnectSessionsClient(userManagementHttp),
      web: await readWebApplication(),
      limits: limitAddresses(rateLimits.limit('connect-page'), settings.TRUSTED_PROXIES),
      log,
    });
    const dependencies = openDependencies({
      baseUrl: settings.BASE_URL,
      pool,
      keys,
      auth,
      apis: {
        base: apiAt(settings.API_URL, ofConsole),
        auth: apiAt(settings.AUTH_API_URL, ofConsole),
        analytics: apiAt(settings.ANALYTICS_API_URL, ofConsole),
        search: apiAt(settings.SEARCH_API_URL, ofConsole),
      },
      operator: {
        audit: new OperatorAuditClient(auditLogHttp),
        clients: new OperatorClientsClient(authHttp),
        connections: new OperatorConnectionsClient(userManagementHttp),
        directory: new OperatorDirectoryClient(searchHttp),
        keys: {
          'user-management': new OperatorKeysClient(userManagementHttp),
          'fhir-store': new OperatorKeysClient(fhirStoreHttp),
          'ingestion-worker': new OperatorKeysClient(workerHttp),
          [serviceName]: new KeysStatusReader(kek, keys),
        },
        services: {
          auth: new ReadinessClient(authHttp),
          search: new ReadinessClient(searchHttp),
          'user-management': new ReadinessClient(userManagementHttp),
          'fhir-store': new ReadinessClient(fhirStoreHttp),
          'analytics-export': readinessOf('analytics-export', settings.ANALYTICS_EXPORT_INTERNAL_URL),
          'ingestion-worker': new ReadinessClient(workerHttp),
          'audit-log': new ReadinessClient(auditLogHttp),
          'mcp-server': readinessOf('mcp-server', settings.MCP_SERVER_INTERNAL_URL),
          documentation: readinessOf('documentation', settings.DOCUMENTATION_INTERNAL_URL),
        },
      },
      sendMail: smtpSender(settings.SMTP_URL, settings.MAIL_FROM, settings.SANDBOX_MODE),
      rateLimits,
      trustedProxies: settings.TRUSTED_PROXIES,
      audit: { trail: runtime.audit, trustedProxies: settings.TRUSTED_PROXIES },
      log,
    });
    const pages = consolePages({
      web: readWebAssets('developer-console'),
      urls: {
        base_url: settings.BASE_URL,
        auth_url: settings.AUTH_URL,
        search_url: settings.SEARCH_URL,
        analytics_url: settings.ANALYTICS_URL,
      },
      mailUrl: settings.SANDBOX_MAIL_URL,
      log,
    });
    const tasks = [
      dependencies.outbox.start(),
      startPeriodicTask({
        name: 'the deletion of expired sessions and links',
        intervalMs: 60_000,
        run: (signal) => deleteExpired(pool, signal),
        log,
      }),
      startPeriodicTask({
        name: 'rewrapping data keys',
        intervalMs: 3_600_000,
        run: () => rewrapDataKeys({ service: serviceName, keys, audit: runtime.audit, log }),
        log,
      }),
    ];
    return {
      publicApp: express()
        .disable('x-powered-by')
        .use(pages, byPath(developerConsole(dependencies), connectPages)),
      // Without the database the connect pages still work, and the developer console responds with 503. The APIs that
      // the connect pages call have readiness checks of their own.
      ready: {},
      stop: async () => {
        await Promise.all(tasks.map((task) => task.stop()));
        subscriber.disconnect();
        redis.disconnect();
        await close();
      },
    };
  },
});

/** One port for both: everything at /console is of the developer console. */
function byPath(developers: RequestHandler, others: RequestHandler): RequestHandler {
  return (request, response, next) =>
    (/^\/console(?:\/|$)/.test(request.path) ? developers : others)(request, response, next);
}
