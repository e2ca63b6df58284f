import { type PeriodicTask, startPeriodicTask } from '@tributary/service-kit';
import { SNAPSHOT_LIFETIME_MS } from '@tributary/record-storage';
import type { Logger } from 'pino';
import type { ExportJobs } from './export-jobs';
import type { PlanningQueue } from './planning-queue';

export interface JobSweepOptions {
  jobs: ExportJobs;
  queue: PlanningQueue;
  /** The interval of the sweep, and for how long an unfinished job must not have been touched to be queued again. */
  intervalSeconds: number;
  log: Logger;
}

/** Queues jobs again that the queue has lost or whose worker has died, and deletes expired jobs. */
export function startJobSweep({ jobs, queue, intervalSeconds, log }: JobSweepOptions): PeriodicTask {
  return startPeriodicTask({
    name: 'the sweep of exports',
    intervalMs: intervalSeconds * 1000,
    log,
    run: async () => {
      await jobs.removeSnapshotsBefore(Date.now() - SNAPSHOT_LIFETIME_MS);
      const stalled = await jobs.takeStalled(intervalSeconds);
      if (stalled.length > 0) await queue.add(stalled);
    },
  });
}
