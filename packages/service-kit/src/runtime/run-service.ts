import type { RequestListener } from 'node:http';
import type { BlockList } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Express, RequestHandler } from 'express';
import express from 'express';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { AuditSettings } from '../audit/open-audit-trail';
import { serviceErrorFormat } from '../api/error-formats';
import { describeError } from '../api/handle-errors';
import { HttpError } from '../api/http-error';
import { type tlsConfig, tlsFiles } from '../config/read-config';
import { metricsRoutes } from '../metrics/metrics-routes';
import { addProcessMetrics } from '../metrics/registry';
import { warningOfUntrustedProxies } from '../transport/client-address';
import { namesOfClientCertificate } from '../transport/peer-certificate';
import type { Secret } from '../config/secrets';
import { type ReadinessChecks, healthRoutes } from './health';
import { type ListeningServer, listen } from './http-server';
import { createLog } from './log';
import { ServiceRuntime } from './service-runtime';

export interface RunningService<PublicApp extends RequestListener = Express> {
  /** Served on PORT; absent in a service without a public API. */
  publicApp?: PublicApp;
  /** How long a request with its body may take to arrive, in milliseconds; two minutes by default. */
  requestTimeoutMs?: { public: number; internal: number };
  /** Served on INTERNAL_PORT together with the health routes. */
  internalApp?: Express;
  ready: ReadinessChecks;
  /** Called when the servers close. Connections with open requests are closed after this time, in milliseconds. */
  closing?(withinMs: number): void;
  /** Called after the last request: stops background work and closes connections. */
  stop(): Promise<void>;
}

export interface ServiceDefinition<Config> {
  name: string;
  readConfig(): Config;
  start(config: Config, runtime: ServiceRuntime): Promise<RunningService<RequestListener>>;
}

interface CommonConfig extends z.output<typeof tlsConfig>, Partial<AuditSettings> {
  LOG_LEVEL: string;
  SERVICE_KEY?: Secret;
  HEALTH_PORT?: number | undefined;
  METRICS_PORT?: number | undefined;
  PORT?: number;
  INTERNAL_PORT: number;
  HOST: string;
  DRAIN_DELAY_MS: number;
  TRUSTED_PROXIES: BlockList;
}

/** How a service shuts down. */
interface Shutdown {
  exitCode: 0 | 1;
  /** How long requests are still accepted while `/readyz` reports that the service is stopping, in milliseconds. */
  drainDelayMs: number;
  /** How long open requests may take, in milliseconds. */
  graceMs: number;
}

const graceMs = 25_000;
/** Shorter after an unhandled error, because the state of the process is unknown. */
const graceAfterFailureMs = 5000;
/** How long `stop` of the service may take. */
const stopMs = 15_000;

/**
 * Runs a service until SIGTERM or SIGINT: reads its configuration, starts it and listens. After the signal `/readyz`
 * reports that the service is stopping, and requests are still accepted for DRAIN_DELAY_MS so that load balancers can
 * react. Then the servers close, open requests finish within 25 s, and the service stops. An unhandled rejection or
 * exception is logged and shuts the service down without the delay and with exit code 1. A service that cannot start
 * exits with code 1 and a message.
 */
export async function runService<Config extends CommonConfig>(definition: ServiceDefinition<Config>): Promise<void> {
  let config: Config;
  try {
    config = definition.readConfig();
  } catch (error) {
    process.stderr.write(
      `${definition.name} cannot start. ${error instanceof Error ? error.message : 'unknown reason'}\n`,
    );
    process.exitCode = 1;
    return;
  }
  const log = createLog(definition.name, config.LOG_LEVEL);
  if (config.METRICS_PORT !== undefined) addProcessMetrics(definition.name);
  const failed = firstFailure(log);
  const signalled = firstSignal(log, config.DRAIN_DELAY_MS);
  let shutdown: Shutdown | undefined;
  try {
    const runtime = await ServiceRuntime.open(
      {
        name: definition.name,
        serviceKey: config.SERVICE_KEY,
        tls: tlsFiles(config),
        ...(hasDatabase(config) ? { audit: config } : {}),
      },
      log,
    );
    const service = await Promise.race([definition.start(config, runtime), failed.then(cannotStart)]);
    const listening = await listenAll(service, config, { runtime, isStopping: () => shutdown !== undefined });
    log.info(Object.fromEntries(Object.entries(listening).map(([name, { port }]) => [name, port])), 'serving');
    shutdown = await Promise.race([signalled, failed]);
    await Promise.race([pause(shutdown.drainDelayMs), failed.then((failure) => (shutdown = failure))]);
    const { graceMs } = shutdown;
    service.closing?.(graceMs);
    const closed = Promise.all(Object.values(listening).map((server) => server.close(graceMs)))
      .then(() => service.stop())
      .then(() => runtime.close());
    await Promise.race([
      closed,
      pause(graceMs + stopMs).then(() => Promise.reject(new Error('it did not stop in time'))),
    ]);
    log.info('stopped');
  } catch (error) {
    log.fatal(
      { err: describeError(error) },
      `${definition.name} failed: ${error instanceof Error ? error.message : 'unknown reason'}`,
    );
    process.exit(1);
  }
  process.exit(shutdown.exitCode);
}

function hasDatabase(config: CommonConfig): config is CommonConfig & AuditSettings {
  return config.DATABASE_URL !== undefined;
}

type PortName = 'port' | 'internalPort' | 'healthPort' | 'metricsPort';

/**
 * @returns the server of INTERNAL_PORT, that of PORT if there is one, and those of HEALTH_PORT and METRICS_PORT if they
 * are set, by the names that their ports have in the log
 */
async function listenAll(
  service: RunningService<RequestListener>,
  config: CommonConfig,
  { runtime: { identity, log }, isStopping }: { runtime: ServiceRuntime; isStopping(): boolean },
): Promise<Partial<Record<PortName, ListeningServer>>> {
  const health = healthRoutes(service.ready, isStopping);
  // Health checks have no client certificate.
  const internal = express().disable('x-powered-by').use(health).use(requireCertificate);
  if (service.internalApp) internal.use(service.internalApp);
  const common = { host: config.HOST, identity, isStopping };
  const servers: Partial<Record<PortName, ListeningServer>> = {
    internalPort: await listen({
      ...common,
      app: internal,
      port: config.INTERNAL_PORT,
      variable: 'INTERNAL_PORT',
      requestsCertificate: true,
      ...(service.requestTimeoutMs && { requestTimeoutMs: service.requestTimeoutMs.internal }),
    }),
  };
  if (service.publicApp && config.PORT !== undefined) {
    const app = warningOfUntrustedProxies(service.publicApp, config.TRUSTED_PROXIES, log);
    servers.port = await listen({
      ...common,
      app,
      port: config.PORT,
      variable: 'PORT',
      ...(service.requestTimeoutMs && { requestTimeoutMs: service.requestTimeoutMs.public }),
    });
  }
  if (config.HEALTH_PORT !== undefined)
    servers.healthPort = await listen({
      app: express().disable('x-powered-by').use(health),
      port: config.HEALTH_PORT,
      host: '127.0.0.1',
      variable: 'HEALTH_PORT',
      isMeasured: false,
      isStopping,
    });
  if (config.METRICS_PORT !== undefined)
    servers.metricsPort = await listen({
      ...common,
      app: express().disable('x-powered-by').use(requireCertificate, metricsRoutes()),
      port: config.METRICS_PORT,
      variable: 'METRICS_PORT',
      requestsCertificate: true,
      isMeasured: false,
    });
  return servers;
}

/** Over TLS every caller of the internal API has a certificate of the suite. */
const requireCertificate: RequestHandler = (request, response, next) => {
  if (namesOfClientCertificate(request)?.length === 0)
    serviceErrorFormat(new HttpError('certificate_required', 'a client certificate is required'), response);
  else next();
};

function firstSignal(log: Logger, drainDelayMs: number): Promise<Shutdown> {
  return new Promise((resolve) => {
    const end = (signal: string, delayMs: number): void => {
      log.info({ signal }, 'stopping');
      resolve({ exitCode: 0, drainDelayMs: delayMs, graceMs });
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end(signal, drainDelayMs));
    process.once('disconnect', () => end('the parent process has ended', 0));
  });
}

function firstFailure(log: Logger): Promise<Shutdown> {
  return new Promise((resolve) => {
    const fail = (message: string) => (error: unknown) => {
      log.fatal({ err: describeError(error) }, message);
      resolve({ exitCode: 1, drainDelayMs: 0, graceMs: graceAfterFailureMs });
    };
    process.on('unhandledRejection', fail('unhandled promise rejection: the service shuts down'));
    process.on('uncaughtException', fail('uncaught exception: the service shuts down'));
  });
}

function cannotStart(): never {
  throw new Error('an unhandled error occurred during the start');
}
