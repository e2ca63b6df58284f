import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { Redis } from 'ioredis';
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

  /** Kills a worker that runs alone. What it held expires at once. */
  async kill(child: ChildProcess): Promise<void> {
    await kill(child);
    await expireLeases(this.workerSettings.redisUrl);
  }

  /** Waits until a worker that runs alone has crashed. What it held expires at once. */
  async crashed(child: ChildProcess): Promise<void> {
    await endOf(child);
    await expireLeases(this.workerSettings.redisUrl);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#started, await this.#next].map(kill));
  }
}

/**
 * Makes everything expire that killed workers held, as if its lifetime had passed: locks of jobs, permits, and leases
 * of hosts. No worker may be running.
 */
async function expireLeases(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl);
  const [permits, workers] = ['running', 'workers'].map((name) => `${collectionQueuePrefix}:schedule:${name}`) as [
    string,
    string,
  ];
  for (const permit of await redis.zrange(permits, 0, -1)) await redis.zadd(permits, 0, permit);
  const held = await Promise.all(
    [`${collectionQueueName}:*:lock`, 'requests:*'].map((names) => redis.keys(`${collectionQueuePrefix}:${names}`)),
  );
  await redis.del(workers, ...held.flat());
  await redis.quit();
}

/** Sends SIGKILL, and waits for the end. */
async function kill(child: ChildProcess): Promise<void> {
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
