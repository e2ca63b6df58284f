import {
  type CollectionJob,
  type CollectionQueueState,
  collectionQueueName,
  collectionQueuePrefix,
} from '@tributary/contracts';
import { type RedisClient, describeError } from '@tributary/service-kit';
import { Queue } from 'bullmq';
import type { Logger } from 'pino';

const markerKey = `${collectionQueuePrefix}:${collectionQueueName}:mark`;

/**
 * The BullMQ queue from which the worker takes collections. PostgreSQL holds the state of each collection; jobs that
 * the queue loses are added again by the sweep (`due-collections.ts`).
 */
export class CollectionQueue {
  readonly #queue: Queue<CollectionJob>;

  /** @param redis a connection whose commands fail immediately while Redis is unavailable */
  constructor(
    private readonly redis: RedisClient,
    private readonly log: Logger,
  ) {
    this.#queue = new Queue<CollectionJob>(collectionQueueName, {
      connection: redis,
      prefix: collectionQueuePrefix,
      skipVersionCheck: true,
      defaultJobOptions: {
        attempts: 5,
        backoff: { type: 'exponential', delay: 5000, jitter: 0.5 },
        removeOnComplete: true,
        removeOnFail: true,
      },
    });
    this.#queue.on('error', (error) =>
      log.warn({ err: { message: error.message } }, 'the collection queue is not reachable'),
    );
  }

  /** Adds jobs. Adding a job that is in the queue has no effect. @throws Error while Redis is unavailable */
  async add(jobs: CollectionJob[]): Promise<void> {
    // BullMQ would wait without a time limit for a connection that has never been established.
    if (this.redis.status !== 'ready') throw new Error('Redis is not connected');
    await this.#queue.addBulk(jobs.map((job) => ({ name: 'collect', data: job, opts: { jobId: job.collection_id } })));
  }

  /** Adds jobs; while Redis is unavailable it only logs, and the sweep adds them later. */
  async tryAdd(jobs: CollectionJob[]): Promise<void> {
    try {
      await this.add(jobs);
    } catch (error) {
      this.log.warn(
        { connections: jobs.map((job) => job.connection_id), err: describeError(error) },
        'collections wait until the queue is available',
      );
    }
  }

  /** How many jobs there are by state, and when the oldest one that waits was added. @throws Error as `add` */
  async counts(): Promise<NonNullable<CollectionQueueState['jobs']>> {
    if (this.redis.status !== 'ready') throw new Error('Redis is not connected');
    const { wait, active, delayed, failed } = await this.#queue.getJobCounts('wait', 'active', 'delayed', 'failed');
    const [oldest] = await this.#queue.getJobs(['wait'], 0, 0, true);
    return {
      waiting: wait ?? 0,
      active: active ?? 0,
      delayed: delayed ?? 0,
      failed: failed ?? 0,
      oldest_waiting_at: oldest ? new Date(oldest.timestamp).toISOString() : null,
    };
  }

  /** Whether Redis holds the marker of `setMarker`. Without it, Redis has lost its data and all jobs. */
  async hasMarker(): Promise<boolean> {
    return (await this.redis.exists(markerKey)) === 1;
  }

  async setMarker(): Promise<void> {
    await this.redis.set(markerKey, '1');
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
