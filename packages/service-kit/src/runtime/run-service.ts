import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Express } from 'express';
import express from 'express';
import type { Logger } from 'pino';
import { describeError } from '../api/handle-errors';
import { type ReadinessChecks, healthRoutes } from './health';
import { createLog } from './log';

export interface RunningService<PublicApp extends RequestListener = Express> {
  /** Served on PORT; a service without a public API has none. */
  publicApp?: PublicApp;
  /** Served on INTERNAL_PORT, beside the health routes. */
  internalApp?: Express;
  ready: ReadinessChecks;
  /** Called once requests have ended: finishes what the service holds and closes its connections. */
  stop(): Promise<void>;
}

export interface ServiceDefinition<Config> {
  name: string;
  readConfig(): Config;
  start(config: Config, log: Logger): Promise<RunningService<RequestListener>>;
}

interface CommonConfig {
  LOG_LEVEL: string;
  PORT?: number;
  INTERNAL_PORT: number;
  HOST: string;
  DRAIN_DELAY_MS: number;
}

/** How a service ends. */
interface Ending {
  exitCode: 0 | 1;
  /** For how long requests are still taken while `/readyz` says that the service is stopping. */
  drainDelayMs: number;
  /** For how long requests under way may take. */
  graceMs: number;
}

const graceMs = 25_000;
/** After an error that nobody handled the state of the process is unknown: it ends soon. */
const graceAfterFailureMs = 5000;
/** For what the service holds to be finished and closed. */
const stopMs = 15_000;

/**
 * Runs a service until SIGTERM or SIGINT: reads its configuration, starts it and serves. After the signal `/readyz` says that it is stopping while
 * requests are still taken for DRAIN_DELAY_MS, so that load balancers notice; then no more are taken, those under way finish (at most 25 s), and the
 * service closes. A promise rejection or an exception that nobody handled is logged and ends the service in the same way, without delay and with exit
 * code 1. Exits with 1 and a plain message when it cannot start.
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
  const failed = firstFailure(log);
  const signalled = firstSignal(log, config.DRAIN_DELAY_MS);
  let ending: Ending | undefined;
  try {
    const service = await Promise.race([definition.start(config, log), failed.then(cannotStart)]);
    const isStopping = (): boolean => ending !== undefined;
    const internal = express().disable('x-powered-by').use(healthRoutes(service.ready, isStopping));
    if (service.internalApp) internal.use(service.internalApp);
    const servers = [await listen(internal, config.INTERNAL_PORT, config.HOST, 'INTERNAL_PORT', isStopping)];
    if (service.publicApp && config.PORT !== undefined)
      servers.push(await listen(service.publicApp, config.PORT, config.HOST, 'PORT', isStopping));
    const [internalPort, port] = servers.map((server) => (server.address() as AddressInfo).port);
    log.info({ port, internalPort }, 'serving');
    ending = await Promise.race([signalled, failed]);
    await Promise.race([pause(ending.drainDelayMs), failed.then((failure) => (ending = failure))]);
    const { graceMs } = ending;
    const closed = Promise.all(servers.map((server) => closeServer(server, graceMs))).then(() => service.stop());
    await Promise.race([closed, pause(graceMs + stopMs).then(() => Promise.reject(new Error('it does not stop')))]);
    log.info('stopped');
  } catch (error) {
    log.fatal(
      { err: describeError(error) },
      `${definition.name} cannot go on: ${error instanceof Error ? error.message : 'unknown reason'}`,
    );
    process.exit(1);
  }
  process.exit(ending.exitCode);
}

function firstSignal(log: Logger, drainDelayMs: number): Promise<Ending> {
  return new Promise((resolve) => {
    const end = (signal: string, delayMs: number): void => {
      log.info({ signal }, 'stopping');
      resolve({ exitCode: 0, drainDelayMs: delayMs, graceMs });
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end(signal, drainDelayMs));
    process.once('disconnect', () => end('the process that started this one is gone', 0));
  });
}

function firstFailure(log: Logger): Promise<Ending> {
  return new Promise((resolve) => {
    const fail = (what: string) => (error: unknown) => {
      log.fatal({ err: describeError(error) }, what);
      resolve({ exitCode: 1, drainDelayMs: 0, graceMs: graceAfterFailureMs });
    };
    process.on('unhandledRejection', fail('a promise was rejected and nobody handled it: the service ends'));
    process.on('uncaughtException', fail('an exception was thrown and nobody caught it: the service ends'));
  });
}

function cannotStart(): never {
  throw new Error('an error that nobody handled came while it started');
}

async function listen(
  app: RequestListener,
  port: number,
  host: string,
  variable: string,
  isStopping: () => boolean,
): Promise<Server> {
  const server = createServer({
    keepAliveTimeout: 65_000,
    requestTimeout: 120_000,
    headersTimeout: 20_000,
    maxHeaderSize: 32_768,
  });
  server.on('request', (request, response) => {
    // The connection would be closed soon, maybe in the moment in which its next request is sent.
    if (isStopping()) response.shouldKeepAlive = false;
    app(request, response);
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw taken ? new Error(`port ${port} is taken: set ${variable} to a free one`) : error;
  }
  return server;
}

async function closeServer(server: Server, withinMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearTimeout(timer);
}
