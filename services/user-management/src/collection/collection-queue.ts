import { type CollectionJob, collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { describeError } from '@tributary/service-kit';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';

const markKey = `${collectionQueuePrefix}:${collectionQueueName}:mark`;

/** Puts due collections into the worker's queue. What is lost on the way, the sweep puts there again (`due-collections.ts`). */
export class CollectionQueue {
  readonly #queue: Queue<CollectionJob>;

  /** @param redis a connection whose commands fail at once while Redis is away */
  constructor(
    private readonly redis: Redis,
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

  /** Adds the jobs; one that is in the queue already stays there once. @throws when Redis is away */
  async add(jobs: CollectionJob[]): Promise<void> {
    // BullMQ would wait for a connection that has never been up, and the caller with it.
    if (this.redis.status !== 'ready') throw new Error('Redis is not connected');
    await this.#queue.addBulk(jobs.map((job) => ({ name: 'collect', data: job, opts: { jobId: job.collection_id } })));
  }

  /** Whether Redis still has the mark that `mark` left: without it, it has lost all jobs. */
  async isMarked(): Promise<boolean> {
    return (await this.redis.exists(markKey)) === 1;
  }

  async mark(): Promise<void> {
    await this.redis.set(markKey, '1');
  }

  /** The same as `add`; when Redis is away the sweep makes up for it. */
  async addSoon(jobs: CollectionJob[]): Promise<void> {
    try {
      await this.add(jobs);
    } catch (error) {
      this.log.warn(
        { connections: jobs.map((job) => job.connection_id), err: describeError(error) },
        'collections wait for the queue to come back',
      );
    }
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
