import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import type { Express } from 'express';
import express from 'express';
import type { Logger } from 'pino';
import { describeError } from '../api/answer-errors';
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
}

const graceMs = 25_000;

/**
 * Runs a service until SIGTERM or SIGINT: reads its configuration, starts it, serves, and on the signal stops taking requests,
 * lets those under way finish (at most 25 s), and closes. Exits with 1 and a plain message when it cannot start.
 */
export async function runService<Config extends CommonConfig>(definition: ServiceDefinition<Config>): Promise<void> {
  let config: Config;
  try {
    config = definition.readConfig();
  } catch (error) {
    process.stderr.write(`${definition.name} cannot start. ${error instanceof Error ? error.message : 'unknown reason'}\n`);
    process.exitCode = 1;
    return;
  }
  const log = createLog(definition.name, config.LOG_LEVEL);
  process.on('unhandledRejection', (error) => log.error({ err: describeError(error) }, 'a promise was rejected and nobody handled it'));
  let stopping = false;
  const signalled = new Promise<string>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
    process.once('disconnect', () => resolve('the process that started this one is gone'));
  });
  try {
    const service = await definition.start(config, log);
    const internal = express().disable('x-powered-by').use(healthRoutes(service.ready, () => stopping));
    if (service.internalApp) internal.use(service.internalApp);
    const servers = [await listen(internal, config.INTERNAL_PORT, config.HOST, 'INTERNAL_PORT')];
    if (service.publicApp && config.PORT !== undefined) servers.push(await listen(service.publicApp, config.PORT, config.HOST, 'PORT'));
    log.info({ port: config.PORT, internalPort: config.INTERNAL_PORT }, 'serving');
    const signal = await signalled;
    stopping = true;
    log.info({ signal }, 'stopping');
    await Promise.all(servers.map(closeServer));
    await service.stop();
    log.info('stopped');
  } catch (error) {
    log.fatal({ err: describeError(error) }, `${definition.name} cannot go on: ${error instanceof Error ? error.message : 'unknown reason'}`);
    process.exit(1);
  }
  process.exit(0);
}

async function listen(app: RequestListener, port: number, host: string, variable: string): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 120_000, headersTimeout: 20_000, maxHeaderSize: 32_768 }, app);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw taken ? new Error(`port ${port} is taken: set ${variable} to a free one`) : error;
  }
  return server;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
