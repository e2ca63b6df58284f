import { setMaxListeners } from 'node:events';
import type { Worker } from 'bullmq';

/** The lock of a job may be lost: another worker may run the job. */
export class JobLockLost extends Error {
  constructor() {
    super('the lock of the job is lost');
    this.name = 'JobLockLost';
  }
}

interface HeldLock {
  abort: AbortController;
  /** Epoch milliseconds. */
  renewedAt: number;
}

/**
 * Aborts the work of a job whose lock is lost: when BullMQ reports that a renewal failed, and when the lock was not
 * renewed for its lifetime, by the clock of this process (Redis is unavailable, or the process was suspended). BullMQ
 * itself lets the work go on.
 */
export class JobLocks {
  readonly #held = new Map<string, HeldLock>();
  readonly #check: NodeJS.Timeout;

  constructor(
    worker: Pick<Worker, 'on'>,
    private readonly lockMs: number,
  ) {
    worker.on('lockRenewalFailed', (jobIds: string[]) => jobIds.forEach((id) => this.#lose(id)));
    worker.on('locksRenewed', ({ jobIds }: { jobIds: string[] }) => {
      for (const id of jobIds) {
        const lock = this.#held.get(id);
        if (lock) lock.renewedAt = Date.now();
      }
    });
    this.#check = setInterval(() => this.#checkAll(), lockMs / 8).unref();
  }

  /**
   * Runs the work of a job that this worker has just taken. Its signal is aborted with `JobLockLost`, or when
   * `stopping` is aborted.
   */
  async hold<T>(jobId: string, stopping: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const lock = { abort: new AbortController(), renewedAt: Date.now() };
    setMaxListeners(0, lock.abort.signal);
    const stop = (): void => lock.abort.abort(stopping.reason);
    stopping.addEventListener('abort', stop, { once: true });
    if (stopping.aborted) stop();
    // BullMQ can give a stalled job to the same worker again: then the lock of the earlier run is lost.
    this.#lose(jobId);
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
    for (const [id, { renewedAt }] of this.#held) if (Date.now() - renewedAt > this.lockMs) this.#lose(id);
  }

  #lose(jobId: string): void {
    this.#held.get(jobId)?.abort.abort(new JobLockLost());
  }
}
