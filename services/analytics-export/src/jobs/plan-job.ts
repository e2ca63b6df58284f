import type { PlanState } from '@tributary/record-storage';
import { HttpError } from '@tributary/service-kit';
import { countsOf } from '../audit/audit-log';
import { scopeOf } from '../callers/export-caller';
import type { Dependencies } from '../dependencies';

/** The job was deleted while it was planned. */
class JobDeleted extends Error {}

/**
 * Minimum milliseconds between checkpoints. A checkpoint contains all files so far, so it is not saved after each step.
 */
const saveEveryMs = 2000;

/**
 * Plans one asynchronous export from its last checkpoint on. It is idempotent, also when two workers run it
 * concurrently.
 */
export async function planJob({ jobs, planner, snapshots, auditLog }: Dependencies, id: string): Promise<void> {
  const [job, stored] = await Promise.all([jobs.find(id), jobs.requestOf(id)]);
  if (!job || !stored || !(await jobs.touch(id, 0))) return;
  const last = await jobs.checkpointOf(id);
  let savedAt = Date.now();
  const save = async (state: PlanState): Promise<void> => {
    if (Date.now() - savedAt < saveEveryMs) return;
    if (!(await jobs.saveCheckpoint(id, state))) throw new JobDeleted();
    savedAt = Date.now();
  };
  const progress = async (done: number): Promise<void> => {
    if (!(await jobs.touch(id, Math.min(99, Math.floor(done * 100))))) throw new JobDeleted();
  };
  try {
    await snapshots.readable();
    const plan = await planner.plan(scopeOf(job.caller), stored.request, job.at, {
      progress,
      job: id,
      checkpoint: { last, save },
    });
    // Two workers of one job can both record it.
    await auditLog.record(
      {
        requestId: id,
        kind: 'export.planned',
        caller: job.caller,
        wanted: stored.request,
        resources: countsOf([...plan.output, ...plan.deleted]),
      },
      'success',
    );
    await jobs.finish(id, plan);
  } catch (error) {
    if (error instanceof JobDeleted) return;
    if (!(error instanceof HttpError) || error.status >= 500) throw error;
    await auditLog.record({ requestId: id, kind: 'export.planned', caller: job.caller }, 'refused');
    await jobs.fail(id, error.errorCode, error.message);
  }
}
