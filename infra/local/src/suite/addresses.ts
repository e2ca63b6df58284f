import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The port of each process, as an offset from PORT_BASE. */
const offsets = {
  gateway: 0,
  auth: 1,
  search: 2,
  'analytics-export': 3,
  'sandbox-health-system': 4,
  'sandbox-mail': 5,
  'sandbox-mail smtp': 6,
  'user-management': 10,
  'fhir-store': 11,
  documentation: 13,
  'mcp-server': 12,
  'audit-log': 14,
  console: 15,
  'auth internal': 21,
  'search internal': 22,
  'analytics-export internal': 23,
  'user-management internal': 24,
  'fhir-store internal': 25,
  'ingestion-worker internal': 26,
  'documentation internal': 28,
  'mcp-server internal': 27,
  'audit-log internal': 29,
  postgres: 30,
  redis: 31,
  'console internal': 32,
  'object-storage': 33,
  pgbouncer: 34,
  'postgres replica': 37,
} as const;
export type Listener = keyof typeof offsets;

/** The ports of replicas are above all others. */
const firstReplicaOffset = 40;
const portsOfAReplica = 20;
const replicated = [
  'auth',
  'search',
  'analytics-export',
  'user-management',
  'fhir-store',
  'documentation',
  'mcp-server',
  'console',
  'audit-log',
  'auth internal',
  'search internal',
  'analytics-export internal',
  'user-management internal',
  'fhir-store internal',
  'ingestion-worker internal',
  'documentation internal',
  'mcp-server internal',
  'console internal',
  'audit-log internal',
] as const satisfies readonly Listener[];
export type ReplicatedListener = (typeof replicated)[number];

const maxReplicas = 4;
const highestBase = 65_500;
const highestPort = 65_535;

export class Addresses {
  /**
   * @param replicas the number of processes of each service
   * @param scheme how the processes are reached
   * @throws Error when their ports exceed the range
   */
  constructor(
    readonly portBase: number,
    readonly replicas = 1,
    readonly scheme: 'http' | 'https' = 'http',
  ) {
    if (!Number.isInteger(replicas) || replicas < 1 || replicas > maxReplicas)
      throw new Error(`the number of replicas must be a whole number from 1 to ${maxReplicas}`);
    const [, highest = 0] =
      this.all()
        .sort(([, one], [, other]) => one - other)
        .at(-1) ?? [];
    if (highest > highestPort)
      throw new Error(
        `PORT_BASE must leave room for the ports of ${replicas} replicas: at most ${highestPort - (highest - portBase)}`,
      );
  }

  port(listener: Listener): number {
    return this.portBase + offsets[listener];
  }

  url(listener: Listener): string {
    return `${this.scheme}://localhost:${this.port(listener)}`;
  }

  /**
   * The port of a replica; a single replica has the port of its service.
   * @param replica counted from 1
   */
  replicaPort(listener: ReplicatedListener, replica: number): number {
    if (this.replicas === 1) return this.port(listener);
    return this.portBase + firstReplicaOffset + (replica - 1) * portsOfAReplica + replicated.indexOf(listener);
  }

  /** The ports of all replicas of a service. */
  replicaPorts(listener: ReplicatedListener): number[] {
    return this.#numbers().map((replica) => this.replicaPort(listener, replica));
  }

  /** Every port that the suite uses, with the name of its listener. */
  all(): [name: string, port: number][] {
    const single = (Object.keys(offsets) as Listener[]).map((listener): [string, number] => [
      listener,
      this.port(listener),
    ]);
    if (this.replicas === 1) return single;
    return [
      ...single,
      ...this.#numbers().flatMap((replica) =>
        replicated.map((listener): [string, number] => [
          `${listener}, replica ${replica}`,
          this.replicaPort(listener, replica),
        ]),
      ),
    ];
  }

  #numbers(): number[] {
    return Array.from({ length: this.replicas }, (_, index) => index + 1);
  }
}

/** @throws Error when PORT_BASE is not a port with enough ports above */
export function portBaseOf(text: string | undefined): number {
  const base = Number(text || 4000);
  if (!Number.isInteger(base) || base < 1024 || base > highestBase)
    throw new Error('PORT_BASE must be a whole number from 1024 to 65500');
  return base;
}

/**
 * @param timeoutMs how long to wait for the ports to become free, in milliseconds
 * @throws Error naming the first port that something else listens on
 */
export async function requireFreePorts(addresses: Addresses, timeoutMs = 0): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (const [listener, port] of addresses.all()) {
    let free = await isFree(port);
    while (!free && performance.now() < deadline) {
      await pause(100);
      free = await isFree(port);
    }
    if (!free)
      throw new Error(
        `port ${port} (${listener}) is in use. Stop the process that listens there, or set PORT_BASE to move all ports, e.g. PORT_BASE=${addresses.portBase + (addresses.portBase + 1000 > highestBase ? -1000 : 1000)} npm start`,
      );
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
