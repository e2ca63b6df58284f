/** Lets at most `limit` requests be under way at each host; the others wait in the order they came. */
export class HostLimits {
  readonly #hosts = new Map<string, { running: number; waiting: (() => void)[] }>();

  constructor(private readonly limit: number) {}

  async run<T>(host: string, work: () => Promise<T>): Promise<T> {
    await this.#enter(host);
    try {
      return await work();
    } finally {
      this.#leave(host);
    }
  }

  #enter(host: string): Promise<void> {
    const entry = this.#hosts.get(host) ?? { running: 0, waiting: [] };
    this.#hosts.set(host, entry);
    if (entry.running < this.limit) {
      entry.running++;
      return Promise.resolve();
    }
    return new Promise((resolve) => entry.waiting.push(resolve));
  }

  #leave(host: string): void {
    const entry = this.#hosts.get(host);
    if (!entry) return;
    const next = entry.waiting.shift();
    if (next) return next();
    entry.running--;
    if (entry.running === 0) this.#hosts.delete(host);
  }
}
