import { type RedisConfig, describeError, isDependencyUnavailable, openWorkerRedis } from '@tributary/service-kit';
import { DelayedError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { ClientSlots } from '../slots/client-slots';
import { type JobPlanningDependencies, planJob } from './plan-job';
import { type PlanningJob, planningAttempts, planningQueueName } from './planning-queue';

export interface PlanningWorkerOptions extends JobPlanningDependencies {
  redis: RedisConfig;
  prefix: string;
  log: Logger;
}

/** Concurrent plans in one replica; at most half of them are of one client. */
const plansAtOnce = 4;
/** The delay in milliseconds of a job whose client has no free slot. */
const delayMs = 500;

/** Plans asynchronous exports, some at a time in each replica. */
export class PlanningWorker {
  readonly #connection: Redis;
  readonly #worker: Worker<PlanningJob>;
  readonly #slots = new ClientSlots({ slots: plansAtOnce, timeoutMs: 0 });

  constructor({ redis, prefix, log, ...dependencies }: PlanningWorkerOptions) {
    this.#connection = openWorkerRedis(redis, log);
    this.#worker = new Worker<PlanningJob>(
      planningQueueName,
      async (job, token) => {
        const { data, attemptsMade } = job;
        const clientId = (await dependencies.jobs.find(data.job_id))?.caller.clientId;
        if (clientId === undefined) return;
        const release = this.#slots.tryAcquire(clientId);
        if (!release) {
          await job.moveToDelayed(Date.now() + delayMs, token);
          throw new DelayedError();
        }
        try {
          await planJob(dependencies, data.job_id);
        } catch (error) {
          log.error({ export: data.job_id, err: describeError(error) }, 'an export could not be planned');
          // An outage of the database is no failure of the export: the sweep queues it again.
          if (attemptsMade + 1 >= planningAttempts && !isDependencyUnavailable(error))
            await dependencies.jobs.fail(data.job_id, 'export_failed', 'the export failed: start it again');
          throw error;
        } finally {
          release();
        }
      },
      {
        connection: this.#connection,
        prefix,
        concurrency: plansAtOnce,
        lockDuration: 15_000,
        stalledInterval: 5_000,
        skipVersionCheck: true,
      },
    );
    this.#worker.on('error', (error) =>
      log.warn({ err: { message: error.message } }, 'the planning queue is not reachable'),
    );
  }

  /** Waits for the plans in progress. Another replica repeats a plan that does not end in time. */
  async close(): Promise<void> {
    await this.#worker.close();
    this.#connection.disconnect();
  }
}
