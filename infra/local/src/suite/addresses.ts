import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Which port each process listens on, counted from PORT_BASE. */
const offsets = {
  gateway: 0,
  auth: 1,
  search: 2,
  'analytics-export': 3,
  'sandbox-health-system': 4,
  'user-management': 10,
  'fhir-store': 11,
  'auth internal': 21,
  'search internal': 22,
  'analytics-export internal': 23,
  'user-management internal': 24,
  'fhir-store internal': 25,
  'ingestion-worker internal': 26,
  postgres: 30,
  redis: 31,
} as const;
export type Listener = keyof typeof offsets;

export class Addresses {
  constructor(readonly portBase: number) {}

  port(listener: Listener): number {
    return this.portBase + offsets[listener];
  }

  url(listener: Listener): string {
    return `http://localhost:${this.port(listener)}`;
  }
}

const highestBase = 65_500;

/** @throws Error that says what to set, when PORT_BASE is not a port that leaves room above */
export function portBaseOf(text: string | undefined): number {
  const base = Number(text || 4000);
  if (!Number.isInteger(base) || base < 1024 || base > highestBase) throw new Error('PORT_BASE must be a whole number from 1024 to 65500');
  return base;
}

/**
 * @param patienceMs how long to wait for the ports to become free
 * @throws Error naming the first port that something else listens on
 */
export async function requireFreePorts(addresses: Addresses, patienceMs = 0): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (const listener of Object.keys(offsets) as Listener[]) {
    const port = addresses.port(listener);
    let free = await isFree(port);
    while (!free && performance.now() < deadline) {
      await pause(100);
      free = await isFree(port);
    }
    if (!free) throw new Error(`port ${port} (${listener}) is taken. Stop what listens there, or set PORT_BASE to move all ports, e.g. PORT_BASE=${addresses.portBase + (addresses.portBase + 1000 > highestBase ? -1000 : 1000)} npm start`);
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
