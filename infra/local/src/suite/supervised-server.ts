import { setTimeout as pause } from 'node:timers/promises';
import { RestartPause } from './restart-pause';

/** A running server of another program: a database, or HAProxy. */
export interface Server {
  readonly pid?: number | undefined;
  /** Resolves with the signal or the exit code when the server has ended. */
  readonly exited: Promise<string>;
  /** Stops the server and releases its data directory, also after it ended by itself. */
  stop(): Promise<void>;
}

/** PostgreSQL, Redis or HAProxy. It is restarted on the same data and port when it ends by itself. */
export class SupervisedServer<Kind extends Server = Server> {
  #stopping = false;
  #restarting: Promise<void> = Promise.resolve();
  readonly #stopped = new AbortController();
  readonly #pause = new RestartPause();

  private constructor(
    readonly name: string,
    private server: Kind,
    private readonly startServer: () => Promise<Kind>,
    private readonly warn: (message: string) => void,
    /** Called whenever the server has a new pid. */
    private readonly started: () => void,
  ) {
    this.#watch();
  }

  /** @throws what `start` throws, the first time */
  static async start<Kind extends Server>(
    name: string,
    start: () => Promise<Kind>,
    warn: (message: string) => void,
    started: () => void,
  ): Promise<SupervisedServer<Kind>> {
    return new SupervisedServer(name, await start(), start, warn, started);
  }

  get current(): Kind {
    return this.server;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopped.abort();
    await this.#restarting;
    await this.server.stop();
  }

  #watch(): void {
    const began = performance.now();
    void this.server.exited.then((how) => {
      if (!this.#stopping) this.#restarting = this.#restart(how, performance.now() - began);
    });
  }

  async #restart(how: string, livedMs: number): Promise<void> {
    this.warn(`${this.name} ended (${how}); starting it again`);
    for (let lived = livedMs; !this.#stopping; lived = 0) {
      await pause(this.#pause.after(lived), undefined, { signal: this.#stopped.signal }).catch(() => undefined);
      if (this.#stopping) return;
      try {
        await this.server.stop();
        this.server = await this.startServer();
        this.warn(`${this.name} runs again`);
        this.started();
        this.#watch();
        return;
      } catch (error) {
        this.warn(
          `${this.name} could not be started again: ${error instanceof Error ? error.message : 'unknown reason'}`,
        );
      }
    }
  }
}
