import { createServer } from 'node:net';

/** A port of 127.0.0.1 that nobody listens on at this moment. */
export async function findFreePort(): Promise<number> {
  return bindOnce(0);
}

/** Throws an error that tells what to do when the port cannot be had. */
export async function requireFreePort(port: number, serverName: string): Promise<void> {
  try {
    await bindOnce(port);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Error(`${serverName} cannot start: port ${port} of 127.0.0.1 is taken by another process. Stop it or choose another port.`);
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
