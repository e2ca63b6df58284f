import type { HostLeases } from './host-leases';
import { type Demand, HostShare } from './host-share';

export interface RequestCaps {
  /** The most requests under way at one host. */
  perHost: number;
  /** The most requests under way at all hosts together. */
  overall: number;
}

interface Host {
  running: number;
  /** The cap that the host bears: halved when it complains, restored as it answers. */
  cap: number;
  answered: number;
  /** Who waits, by connection; the first connection has its turn next. */
  waiting: Map<string, (() => void)[]>;
  waits: number;
  /** How many requests each connection has here, waiting or under way. */
  connections: Map<string, number>;
  /** The part of the cap that other workers leave to this one. */
  share: HostShare | undefined;
}

/** So many good answers raise a lowered cap by one. */
const answersPerStep = 10;
/** How often shares are made to fit what is done. */
const beatMs = 500;

/**
 * Shares out requests: so many at each host, over all workers, and so many at all in this one; hosts take turns, and the connections of a host too, so that a
 * large record starves no small one and a slow host no quick one.
 */
export class HostLimits {
  readonly #hosts = new Map<string, Host>();
  readonly #beat: NodeJS.Timeout | undefined;
  #running = 0;

  /** @param leases what workers share the caps of hosts by; without them this worker has them for itself */
  constructor(
    private readonly caps: RequestCaps,
    private readonly leases?: HostLeases,
  ) {
    if (leases) this.#beat = setInterval(() => void this.#renewShares(), beatMs).unref();
  }

  async run<T>(hostName: string, connection: string, work: () => Promise<T>): Promise<T> {
    const host = await this.#enter(hostName, connection);
    try {
      return await work();
    } finally {
      this.#leave(hostName, host, connection);
    }
  }

  /** The host said that there are too many requests: half as many from now on. */
  complained(hostName: string): void {
    const host = this.#host(hostName);
    host.cap = Math.max(1, Math.floor(Math.min(host.cap, host.share?.cap ?? host.cap) / 2));
    host.answered = 0;
    host.share?.halve();
  }

  /** The host answered well: it may be asked more again, bit by bit. */
  answered(hostName: string): void {
    const host = this.#hosts.get(hostName);
    if (!host || host.cap === this.caps.perHost || ++host.answered < answersPerStep) return;
    host.answered = 0;
    host.cap++;
    this.#admit();
  }

  /** Gives back what this worker has of the hosts' caps. Nothing is to be run any more. */
  async close(): Promise<void> {
    clearInterval(this.#beat);
    await Promise.all([...this.#hosts.values()].map(({ share, cap }) => share?.giveBack(cap)));
  }

  #enter(hostName: string, connection: string): Promise<Host> {
    const host = this.#host(hostName);
    return new Promise((resolve) => {
      const queue = host.waiting.get(connection) ?? [];
      host.waiting.set(connection, queue);
      queue.push(() => resolve(host));
      host.waits++;
      host.connections.set(connection, (host.connections.get(connection) ?? 0) + 1);
      this.#admit();
    });
  }

  #leave(hostName: string, host: Host, connection: string): void {
    host.running--;
    this.#running--;
    const left = (host.connections.get(connection) ?? 1) - 1;
    if (left > 0) host.connections.set(connection, left);
    else host.connections.delete(connection);
    host.share?.ended(this.#demandOf(host));
    this.#forgetIdle(hostName, host);
    this.#admit();
  }

  /** Lets in whoever may come in now. A host that let one in goes behind the others, where this very loop comes by again. */
  #admit(): void {
    for (const [name, host] of this.#hosts) {
      if (this.#running >= this.caps.overall) return;
      if (host.running >= host.cap || host.waits === 0) continue;
      if (host.share && host.running >= host.share.allowed(host.cap)) {
        host.share.ask(this.#demandOf(host));
        continue;
      }
      this.#admitNext(host);
      this.#hosts.delete(name);
      this.#hosts.set(name, host);
    }
  }

  #admitNext(host: Host): void {
    const [[connection, queue] = ['', []]] = host.waiting;
    const enter = queue.shift();
    host.waiting.delete(connection);
    if (queue.length > 0) host.waiting.set(connection, queue);
    host.waits--;
    host.running++;
    this.#running++;
    enter?.();
  }

  #host(name: string): Host {
    const known = this.#hosts.get(name);
    if (known) return known;
    const share = this.leases && new HostShare(this.leases, name, () => this.#admit());
    const host = {
      running: 0,
      cap: this.caps.perHost,
      answered: 0,
      waiting: new Map<string, (() => void)[]>(),
      waits: 0,
      connections: new Map<string, number>(),
      share,
    };
    this.#hosts.set(name, host);
    return host;
  }

  #demandOf({ running, waits, connections, cap }: Host): Demand {
    return { running, wanted: running + waits, connections: connections.size, cap };
  }

  /** A host where nothing was done since the last beat is given back, and forgotten once it bears its whole cap. */
  async #renewShares(): Promise<void> {
    const hosts = [...this.#hosts];
    await Promise.all(hosts.map(([, host]) => host.share?.renew(this.#demandOf(host))));
    for (const [name, host] of hosts) this.#forgetIdle(name, host);
  }

  #forgetIdle(name: string, { running, waits, cap, share }: Host): void {
    if (running === 0 && waits === 0 && cap === this.caps.perHost && !share?.isHeld) this.#hosts.delete(name);
  }
}
