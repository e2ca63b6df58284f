import { type RedisConfig, describeError, isDependencyUnavailable, openWorkerRedis } from '@tributary/service-kit';
import { DelayedError, Worker } from 'bullmq';
import type { Logger } from 'pino';
import type { Dependencies } from '../dependencies';
import { ClientSlots } from '../slots/client-slots';
import { planJob } from './plan-job';
import { type PlanningJob, planningAttempts, planningQueueName } from './planning-queue';

/** Concurrent plans in one replica; at most half of them are of one client. */
const plansAtOnce = 4;
/** The delay in milliseconds of a job whose client has no free slot. */
const delayMs = 500;

/** Plans asynchronous exports, some at a time in each replica. */
export function startPlanning(
  redis: RedisConfig,
  prefix: string,
  dependencies: Dependencies,
  log: Logger,
): { close(): Promise<void> } {
  const { jobs } = dependencies;
  const connection = openWorkerRedis(redis, log);
  const slots = new ClientSlots(plansAtOnce);
  const worker = new Worker<PlanningJob>(
    planningQueueName,
    async (job, token) => {
      const { job_id: id } = job.data;
      const clientId = (await jobs.find(id))?.caller.clientId;
      if (clientId === undefined) return;
      const release = slots.tryAcquire(clientId);
      if (!release) {
        await job.moveToDelayed(Date.now() + delayMs, token);
        throw new DelayedError();
      }
      try {
        await planJob(dependencies, id);
      } catch (error) {
        log.error({ export: id, err: describeError(error) }, 'an export could not be planned');
        // An outage of the database is no failure of the export: the sweep queues it again.
        if (job.attemptsMade + 1 >= planningAttempts && !isDependencyUnavailable(error))
          await jobs.fail(id, 'export_failed', 'the export failed: start it again');
        throw error;
      } finally {
        release();
      }
    },
    {
      connection,
      prefix,
      concurrency: plansAtOnce,
      lockDuration: 15_000,
      stalledInterval: 5_000,
      skipVersionCheck: true,
    },
  );
  worker.on('error', (error) => log.warn({ err: { message: error.message } }, 'the planning queue is not reachable'));
  return {
    /** Waits for the plans in progress. Another replica repeats a plan that does not end in time. */
    close: async () => {
      await worker.close();
      connection.disconnect();
    },
  };
}
