import { type ExportEventsClient, isServiceUnavailable } from '@tributary/contracts';
import { type PeriodicTask, describeError, startPeriodicTask } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { ExportJob, ExportJobs } from './export-jobs';

const intervalMs = 1000;
/** The maximum number of jobs per run. They must be reported within 60 s; then they are due again. */
const batch = 5;

/**
 * Reports to user-management which asynchronous exports have ended, so that it sends the event `export.completed`. The
 * statement that ends a job makes its report due, and the report is repeated until it succeeds, so each end is reported
 * at least once. A job that its caller has deleted, or that expires after 24 hours, is not reported.
 */
export function startCompletionReports(jobs: ExportJobs, events: ExportEventsClient, log: Logger): PeriodicTask {
  return startPeriodicTask({
    name: 'the report of ended exports',
    intervalMs,
    log,
    run: async (signal) => {
      const due = await jobs.takeUnreported(batch);
      for (const job of due) {
        if (signal.aborted) return false;
        try {
          await events.exportCompleted(completionOf(job), { requestId: job.id, signal });
          await jobs.markReported(job.id);
        } catch (error) {
          // One export that user-management refuses does not hold back the others.
          if (isServiceUnavailable(error) || signal.aborted) throw error;
          log.warn({ export: job.id, err: describeError(error) }, 'the end of an export could not be reported');
        }
      }
      return due.length === batch;
    },
  });
}

function completionOf({ id, caller, at, state }: ExportJob): Parameters<ExportEventsClient['exportCompleted']>[0] {
  return {
    client_id: caller.clientId,
    ...(caller.serviceUserId === undefined ? {} : { service_user_id: caller.serviceUserId }),
    job_id: id,
    // As in the manifest: the snapshot is exclusive.
    transaction_time: new Date(at - 1).toISOString(),
    outcome: state === 'finished' ? 'completed' : 'failed',
  };
}
