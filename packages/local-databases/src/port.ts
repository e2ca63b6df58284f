import { createServer } from 'node:net';
import { ServerDidNotStart } from './server-process';

const attemptsAtAFreePort = 5;

/**
 * Starts a server on the wanted port, or for 0 on a free one. Between finding a free port and using it another process
 * may take it; then another one is tried.
 */
export async function startOnPort<Server>(
  wanted: number,
  start: (port: number) => Promise<Server>,
): Promise<{ server: Server; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = wanted || (await findFreePort());
    try {
      return { server: await start(port), port };
    } catch (error) {
      const tryAgain =
        !wanted && attempt < attemptsAtAFreePort && error instanceof ServerDidNotStart && error.lostItsPort;
      if (!tryAgain) throw error;
    }
  }
}

/** A port of 127.0.0.1 that nobody listens on at this moment. */
export function findFreePort(): Promise<number> {
  return bindOnce(0);
}

/** Throws an error that tells what to do when the port cannot be had. */
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
