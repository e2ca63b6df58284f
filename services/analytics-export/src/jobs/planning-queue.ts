import { type RedisClient, describeError } from '@tributary/service-kit';
import { Queue } from 'bullmq';
import type { Logger } from 'pino';

export const planningQueueName = 'export-planning';

/** Ids only. */
export interface PlanningJob {
  job_id: string;
}

/**
 * The BullMQ queue of asynchronous exports. PostgreSQL is the source of truth: the sweep adds again what the queue
 * loses.
 */
export class PlanningQueue {
  readonly #queue: Queue<PlanningJob>;

  /** @param redis a connection whose commands fail at once while Redis is away */
  constructor(
    private readonly redis: RedisClient,
    prefix: string,
    private readonly log: Logger,
  ) {
    this.#queue = new Queue<PlanningJob>(planningQueueName, {
      connection: redis,
      prefix,
      skipVersionCheck: true,
      defaultJobOptions: {
        attempts: planningAttempts,
        backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
        removeOnComplete: true,
        removeOnFail: true,
      },
    });
    this.#queue.on('error', (error) =>
      log.warn({ err: { message: error.message } }, 'the planning queue is not reachable'),
    );
  }

  /**
   * Adds jobs; a job that is queued already stays queued once. While Redis is not reachable this is a no-op, and the
   * sweep adds the jobs later.
   */
  async add(jobIds: readonly string[]): Promise<void> {
    try {
      // BullMQ would wait without limit for a connection that was never established.
      if (this.redis.status !== 'ready') throw new Error('Redis is not connected');
      await this.#queue.addBulk(jobIds.map((jobId) => ({ name: 'plan', data: { job_id: jobId }, opts: { jobId } })));
    } catch (error) {
      this.log.warn({ exports: jobIds, err: describeError(error) }, 'exports wait until the queue is reachable again');
    }
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

/** Attempts before an export has failed. */
export const planningAttempts = 6;
