import { createServer } from 'node:net';
import { ServerDidNotStart } from './server-process';

const maxAttempts = 5;

/**
 * Starts a server on the requested port, or on a free port for 0. Another process may take a free port before the
 * server does; then another port is tried.
 */
export async function startOnPort<Server>(
  requested: number,
  start: (port: number) => Promise<Server>,
): Promise<{ server: Server; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = requested || (await findFreePort());
    try {
      return { server: await start(port), port };
    } catch (error) {
      const isRetryable =
        !requested && attempt < maxAttempts && error instanceof ServerDidNotStart && error.isPortTaken;
      if (!isRetryable) throw error;
    }
  }
}

/** A port of 127.0.0.1 that is free at this moment. */
export function findFreePort(): Promise<number> {
  return bindOnce(0);
}

/** @throws Error with instructions when the port is not available */
export async function requireFreePort(port: number, serverName: string): Promise<void> {
  try {
    await bindOnce(port);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Error(
        `${serverName} cannot start: port ${port} of 127.0.0.1 is taken by another process. Stop it or choose another port.`,
      );
    }
    throw new Error(`${serverName} cannot listen on port ${port} of 127.0.0.1: ${message}`);
  }
}

function bindOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ port, host: '127.0.0.1' }, () => {
      const address = probe.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      probe.close(() => resolve(bound));
    });
  });
}
