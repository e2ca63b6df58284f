import { setMaxListeners } from 'node:events';
import type { Worker } from 'bullmq';

/** The lock of a job is not certain to be held any more: another worker may have the job. */
export class JobLockLost extends Error {
  constructor() {
    super('the lock of the job is lost');
    this.name = 'JobLockLost';
  }
}

interface HeldLock {
  abort: AbortController;
  renewedAt: number;
}

/**
 * Aborts the work of a job whose lock is lost: when Redis says so, and when the lock was not renewed for as long as it lasts, as it is
 * while Redis is away or this process stood still.
 */
export class JobLocks {
  readonly #held = new Map<string, HeldLock>();
  readonly #check: NodeJS.Timeout;

  constructor(
    worker: Pick<Worker, 'on'>,
    private readonly lockMs: number,
  ) {
    worker.on('lockRenewalFailed', (jobIds: string[]) => jobIds.forEach((id) => this.#lost(id)));
    worker.on('locksRenewed', ({ jobIds }: { jobIds: string[] }) => {
      for (const id of jobIds) {
        const lock = this.#held.get(id);
        if (lock) lock.renewedAt = Date.now();
      }
    });
    this.#check = setInterval(() => this.#checkAll(), lockMs / 8).unref();
  }

  /** Runs the work of a job that was just taken; its signal is aborted with `JobLockLost`, or when `stopping` is. */
  async hold<T>(jobId: string, stopping: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const lock = { abort: new AbortController(), renewedAt: Date.now() };
    setMaxListeners(0, lock.abort.signal);
    const stop = (): void => lock.abort.abort(stopping.reason);
    stopping.addEventListener('abort', stop, { once: true });
    if (stopping.aborted) stop();
    // The queue gave the job to this worker again: the lock under which it had it before is lost.
    this.#lost(jobId);
    this.#held.set(jobId, lock);
    try {
      return await work(lock.abort.signal);
    } finally {
      stopping.removeEventListener('abort', stop);
      if (this.#held.get(jobId) === lock) this.#held.delete(jobId);
    }
  }

  close(): void {
    clearInterval(this.#check);
  }

  #checkAll(): void {
    for (const [id, { renewedAt }] of this.#held) if (Date.now() - renewedAt > this.lockMs) this.#lost(id);
  }

  #lost(jobId: string): void {
    this.#held.get(jobId)?.abort.abort(new JobLockLost());
  }
}
