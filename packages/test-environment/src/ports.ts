import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A TCP port that is free at the moment on all addresses. Another process can take it before it is used. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Below the ports that the system gives to connections and to servers on port 0, so that it takes none of these. */
const chosenPorts = { from: 28_000, to: 32_768 };
const maxTakenPorts = 20;

/**
 * Starts a server that must know its port before it listens.
 * @param start rejects when the server does not start, as when the port is taken: then another one is tried
 */
export async function onChosenPort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let taken = 0; ; taken++) {
    try {
      return await start(randomInt(chosenPorts.from, chosenPorts.to));
    } catch (error) {
      if (taken === maxTakenPorts) throw error;
    }
  }
}

/**
 * The first three bytes of loopback addresses for servers on fixed ports, as `127.1.2`. No other test process has them
 * at the same time.
 */
export function loopbackNetwork(): string {
  return `127.${1 + ((process.pid >> 8) % 255)}.${process.pid % 256}`;
}
