import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createApp, createSandbox } from './app';
import { readConfig } from './config';
import { loadPeople } from './records/load-people';

/**
 * In milliseconds, longer than clients keep idle connections, so that no connection is closed while a request is sent.
 */
const keepAliveTimeout = 65_000;

/** Starts the sandbox on PORT. SIGTERM, SIGINT and the end of the parent process stop it. */
async function main(): Promise<void> {
  const config = readConfig(process.env, process.argv.slice(2));
  const people = await loadPeople(config.recordsDirectory);
  const app = createApp(createSandbox(config, people));
  const server = config.tls
    ? createTlsServer({ cert: readFileSync(config.tls.certificate), key: readFileSync(config.tls.key) }, app)
    : createServer(app);
  server.keepAliveTimeout = keepAliveTimeout;
  server.once('error', fail);
  server.listen({ port: config.port, host: config.host }, () => {
    console.log(
      JSON.stringify({
        event: 'listening',
        service: 'sandbox-health-system',
        port: config.port,
        people: people.listed().length,
      }),
    );
  });
  // 'disconnect': the parent process has ended.
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) {
    process.once(signal, () => {
      server.close(() => process.exit(0));
      server.closeIdleConnections();
      setTimeout(() => process.exit(0), 2_000).unref();
    });
  }
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

main().catch(fail);
