import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Express } from 'express';
import express from 'express';
import type { Logger } from 'pino';
import { describeError } from '../api/handle-errors';
import { type ReadinessChecks, healthRoutes } from './health';
import { createLog } from './log';

export interface RunningService<PublicApp extends RequestListener = Express> {
  /** Served on PORT; absent in a service without a public API. */
  publicApp?: PublicApp;
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
  start(config: Config, log: Logger): Promise<RunningService<RequestListener>>;
}

interface CommonConfig {
  LOG_LEVEL: string;
  PORT?: number;
  INTERNAL_PORT: number;
  HOST: string;
  DRAIN_DELAY_MS: number;
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
  const failed = firstFailure(log);
  const signalled = firstSignal(log, config.DRAIN_DELAY_MS);
  let shutdown: Shutdown | undefined;
  try {
    const service = await Promise.race([definition.start(config, log), failed.then(cannotStart)]);
    const isStopping = (): boolean => shutdown !== undefined;
    const internal = express().disable('x-powered-by').use(healthRoutes(service.ready, isStopping));
    if (service.internalApp) internal.use(service.internalApp);
    const servers = [await listen(internal, config.INTERNAL_PORT, config.HOST, 'INTERNAL_PORT', isStopping)];
    if (service.publicApp && config.PORT !== undefined)
      servers.push(await listen(service.publicApp, config.PORT, config.HOST, 'PORT', isStopping));
    const [internalPort, port] = servers.map((server) => (server.address() as AddressInfo).port);
    log.info({ port, internalPort }, 'serving');
    shutdown = await Promise.race([signalled, failed]);
    await Promise.race([pause(shutdown.drainDelayMs), failed.then((failure) => (shutdown = failure))]);
    const { graceMs } = shutdown;
    service.closing?.(graceMs);
    const closed = Promise.all(servers.map((server) => closeServer(server, graceMs))).then(() => service.stop());
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
    // Otherwise the first of two Authorization headers would apply without notice.
    joinDuplicateHeaders: true,
  });
  server.on('request', (request, response) => {
    // A kept connection would be closed soon, possibly while the client sends its next request.
    if (isStopping()) response.shouldKeepAlive = false;
    request.url = withoutOrigin(request.url ?? '/');
    app(request, response);
  });
  server.on('clientError', refuseUnparsed);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw taken ? new Error(`port ${port} is taken: set ${variable} to a free one`) : error;
  }
  return server;
}

/** A client of a proxy sends the whole URL (RFC 9112, section 3.2.2). */
function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, '/');
}

/** The responses to what Node's parser refuses, before there is a request. */
const unparsedStatus: Record<string, [string, string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers and the address are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time'],
};

/**
 * Responds to what is not HTTP, with a request id and a message, and closes the connection. While a response is being
 * sent on it, the connection is closed without one, which would end up in its body.
 */
function refuseUnparsed(error: Error, socket: Duplex): void {
  const { _httpMessage: current } = socket as Duplex & { _httpMessage?: { headersSent: boolean } | null };
  if (!socket.writable || current?.headersSent || ('code' in error && error.code === 'ECONNRESET')) {
    socket.destroy();
    return;
  }
  const code = 'code' in error ? String(error.code) : '';
  const [status, message] = unparsedStatus[code] ?? ['400 Bad Request', 'this is not an HTTP request'];
  socket.end(
    `HTTP/1.1 ${status}\r\nX-Request-Id: ${randomUUID()}\r\nCache-Control: no-store\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(message)}\r\nConnection: close\r\n\r\n${message}`,
    () => socket.destroy(),
  );
}

async function closeServer(server: Server, withinMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearTimeout(timer);
}
