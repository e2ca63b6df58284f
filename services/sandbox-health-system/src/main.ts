import { createServer } from 'node:http';
import { createApp, createSandbox } from './app';
import { readConfiguration } from './configuration';
import { peopleOf } from './people';

/** Longer than clients keep an idle connection, so that none is closed under a request on its way. */
const keepAliveTimeout = 65_000;

/** Starts the sandbox on PORT; SIGTERM and SIGINT end it, and the end of the process that started it. */
async function main(): Promise<void> {
  const configuration = readConfiguration(process.env, process.argv.slice(2));
  const people = await peopleOf(configuration.recordsDirectory);
  const server = createServer(createApp(createSandbox(configuration, people)));
  server.keepAliveTimeout = keepAliveTimeout;
  server.once('error', fail);
  server.listen({ port: configuration.port, host: configuration.host }, () => {
    console.log(
      JSON.stringify({
        event: 'listening',
        service: 'sandbox-health-system',
        port: configuration.port,
        people: people.listed().length,
      }),
    );
  });
  // 'disconnect': the runner that started this process is gone.
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
