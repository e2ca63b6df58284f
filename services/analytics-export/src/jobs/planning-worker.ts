import { describeError, openWorkerRedis } from '@tributary/service-kit';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type JobPlanningParts, planJob } from './plan-job';
import { type PlanningJob, planningAttempts, planningQueueName } from './planning-queue';

export interface PlanningWorkerOptions extends JobPlanningParts {
  redisUrl: string;
  prefix: string;
  log: Logger;
}

/** Plans asynchronous exports, two at a time in each replica. */
export class PlanningWorker {
  readonly #connection: Redis;
  readonly #worker: Worker<PlanningJob>;

  constructor({ redisUrl, prefix, log, ...parts }: PlanningWorkerOptions) {
    this.#connection = openWorkerRedis(redisUrl, log);
    this.#worker = new Worker<PlanningJob>(
      planningQueueName,
      async ({ data, attemptsMade }) => {
        try {
          await planJob(parts, data.job_id);
        } catch (error) {
          log.error({ export: data.job_id, err: describeError(error) }, 'an export could not be planned');
          if (attemptsMade + 1 >= planningAttempts) await parts.jobs.fail(data.job_id, 500, 'the export failed: start it again');
          throw error;
        }
      },
      { connection: this.#connection, prefix, concurrency: 2, lockDuration: 15_000, stalledInterval: 5_000, skipVersionCheck: true },
    );
    this.#worker.on('error', (error) => log.warn({ err: { message: error.message } }, 'the planning queue is not reachable'));
  }

  /** Ends after the plans at hand; what does not end in time, another replica does again. */
  async close(): Promise<void> {
    await this.#worker.close();
    this.#connection.disconnect();
  }
}
