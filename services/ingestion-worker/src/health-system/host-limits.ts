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
}

/** So many good answers raise a lowered cap by one. */
const answersPerStep = 10;

/**
 * Shares out requests: so many at each host and so many at all, hosts taking turns, and the connections of a host too, so that a large record
 * starves no small one and a slow host no quick one.
 */
export class HostLimits {
  readonly #hosts = new Map<string, Host>();
  #running = 0;

  constructor(private readonly caps: RequestCaps) {}

  async run<T>(hostName: string, connection: string, work: () => Promise<T>): Promise<T> {
    const host = await this.#enter(hostName, connection);
    try {
      return await work();
    } finally {
      host.running--;
      this.#running--;
      this.#forgetIdle(hostName, host);
      this.#admit();
    }
  }

  /** The host said that there are too many requests: half as many from now on. */
  complained(hostName: string): void {
    const host = this.#host(hostName);
    host.cap = Math.max(1, Math.floor(host.cap / 2));
    host.answered = 0;
  }

  /** The host answered well: it may be asked more again, bit by bit. */
  answered(hostName: string): void {
    const host = this.#hosts.get(hostName);
    if (!host || host.cap === this.caps.perHost || ++host.answered < answersPerStep) return;
    host.answered = 0;
    host.cap++;
    this.#admit();
  }

  #enter(hostName: string, connection: string): Promise<Host> {
    const host = this.#host(hostName);
    return new Promise((resolve) => {
      const queue = host.waiting.get(connection) ?? [];
      host.waiting.set(connection, queue);
      queue.push(() => resolve(host));
      this.#admit();
    });
  }

  /** Lets in whoever may come in now. A host that let one in goes behind the others, where this very loop comes by again. */
  #admit(): void {
    for (const [name, host] of this.#hosts) {
      if (this.#running >= this.caps.overall) return;
      if (host.running >= host.cap || host.waiting.size === 0) continue;
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
    host.running++;
    this.#running++;
    enter?.();
  }

  #host(name: string): Host {
    const known = this.#hosts.get(name);
    if (known) return known;
    const host = { running: 0, cap: this.caps.perHost, answered: 0, waiting: new Map<string, (() => void)[]>() };
    this.#hosts.set(name, host);
    return host;
  }

  #forgetIdle(name: string, host: Host): void {
    if (host.running === 0 && host.waiting.size === 0 && host.cap === this.caps.perHost) this.#hosts.delete(name);
  }
}
