import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endOf, runSource } from './child-process.fixture';
import type { WorkerPlace } from './worker.fixture';

/** Worker processes, one after the other: while one works the next one is loading already. */
export class KillableWorkers {
  readonly #started: ChildProcess[] = [];
  #next: Promise<ChildProcess>;

  /** @param options of Node, for each of them */
  constructor(
    private readonly place: WorkerPlace,
    private readonly options: string[] = [],
  ) {
    this.#next = load(options);
  }

  /** Sets the next worker to work; `change` is what is different with it. */
  async start(change: Partial<WorkerPlace> = {}): Promise<ChildProcess> {
    const child = await this.#next;
    this.#next = load(this.options);
    this.#started.push(child);
    child.send({ ...this.place, ...change });
    await once(child, 'message');
    return child;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#started, await this.#next].map(kill));
  }
}

/** As a crash does, or `kill -9`. */
export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await endOf(child);
}

/** Asks it to end, as an orchestrator does. */
export async function terminate(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await endOf(child);
}

async function load(options: string[]): Promise<ChildProcess> {
  const child = runSource(join(__dirname, 'worker-process.fixture.ts'), {}, options);
  await once(child, 'message');
  return child;
}
