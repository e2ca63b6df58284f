import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endOf, runSource } from './child-process';
import type { TestWorkerSettings } from './worker';

/** Worker processes, one after the other. The next process is always preloaded. */
export class KillableWorkers {
  readonly #started: ChildProcess[] = [];
  #next: Promise<ChildProcess>;

  /** @param options of Node, for each process */
  constructor(
    private readonly workerSettings: TestWorkerSettings,
    private readonly options: string[] = [],
  ) {
    this.#next = load(options);
  }

  /** Starts the preloaded worker. @param change settings that differ for this worker */
  async start(change: Partial<TestWorkerSettings> = {}): Promise<ChildProcess> {
    const child = await this.#next;
    this.#next = load(this.options);
    this.#started.push(child);
    child.send({ ...this.workerSettings, ...change });
    await once(child, 'message');
    return child;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#started, await this.#next].map(kill));
  }
}

/** Sends SIGKILL, and waits for the end. */
export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await endOf(child);
}

/** Sends SIGTERM, as an orchestrator does, and waits for the end. */
export async function terminate(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await endOf(child);
}

async function load(options: string[]): Promise<ChildProcess> {
  const child = runSource(join(__dirname, 'worker-process.ts'), {}, options);
  await once(child, 'message');
  return child;
}
