import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { Accesses } from '../audit/audit-log';
import type { ExportJobs } from './export-jobs';
import type { PlanningQueue } from './planning-queue';

export interface JobSweepOptions {
  jobs: ExportJobs;
  accesses: Accesses;
  accessRetentionDays: number;
  queue: PlanningQueue;
  everySeconds: number;
  log: Logger;
}

const snapshotLifeMs = 24 * 60 * 60 * 1000;

/** Puts exports that the queue has lost, or whose worker has died, into it again, and forgets those whose files have expired. */
export class JobSweep {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: JobSweepOptions) {}

  start(): void {
    const { everySeconds } = this.options;
    this.#timer = setInterval(
      () => (this.#running = this.#running.then(() => this.#sweep())),
      everySeconds * 1000 * (0.9 + Math.random() * 0.2),
    );
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #sweep(): Promise<void> {
    const { jobs, accesses, accessRetentionDays, queue, everySeconds, log } = this.options;
    try {
      await jobs.removeSnapshotsBefore(Date.now() - snapshotLifeMs);
      await accesses.removeOlderThan(accessRetentionDays);
      const quiet = await jobs.takeQuiet(everySeconds);
      if (quiet.length > 0) await queue.addSoon(quiet);
    } catch (error) {
      log.warn({ err: describeError(error) }, 'the sweep of exports failed and will be tried again');
    }
  }
}
