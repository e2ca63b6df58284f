import { type PeriodicTask, startPeriodicTask } from '@tributary/service-kit';
import { SNAPSHOT_LIFETIME_MS } from '@tributary/record-storage';
import type { Logger } from 'pino';
import type { ExportJobs } from './export-jobs';
import type { PlanningQueue } from './planning-queue';

/**
 * Queues jobs again that the queue has lost or whose worker has died, and deletes expired jobs.
 * @param intervalSeconds of the sweep, and for how long an unfinished job must not have been touched to be queued again
 */
export function startJobSweep(
  jobs: ExportJobs,
  queue: PlanningQueue,
  intervalSeconds: number,
  log: Logger,
): PeriodicTask {
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
