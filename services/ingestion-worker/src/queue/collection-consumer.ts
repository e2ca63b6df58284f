import { NeedsReauthorization, type CollectionJob, collectionJob, collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { describeError } from '@tributary/service-kit';
import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type CollectionDependencies, CollectionStale, collect } from '../collection/collect';

export interface ConsumerOptions extends CollectionDependencies {
  redisUrl: string;
  concurrency: number;
  log: Logger;
}

/** A collection that could not be ended now; the queue tries it again, from where it stands. */
class Incomplete extends Error {}

const lockMs = 15_000;

/** Takes collections from the queue. On `close` those under way stop at the next page and go back to the queue; their positions are stored. */
export class CollectionConsumer {
  readonly #worker: Worker<CollectionJob>;
  readonly #stopping = new AbortController();
  readonly #redis: Redis;

  constructor(private readonly options: ConsumerOptions) {
    this.#redis = new Redis(options.redisUrl, { maxRetriesPerRequest: null });
    this.#redis.on('error', (error) => options.log.warn({ err: { message: error.message } }, 'redis is not reachable'));
    this.#worker = new Worker<CollectionJob>(collectionQueueName, (job, token) => this.#run(job, token), {
      connection: this.#redis,
      prefix: collectionQueuePrefix,
      concurrency: options.concurrency,
      lockDuration: lockMs,
      stalledInterval: 5000,
      maxStalledCount: 1000,
    });
    this.#worker.on('error', (error) => options.log.warn({ err: { message: error.message } }, 'the queue is not reachable'));
  }

  /** Rejects when the queue does not answer. */
  async check(): Promise<void> {
    await this.#redis.ping();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#worker.close();
    this.#redis.disconnect();
  }

  async #run(job: Job<CollectionJob>, token: string | undefined): Promise<void> {
    const { connections, log } = this.options;
    const { connection_id: connectionId, collection_id: collectionId } = collectionJob.parse(job.data);
    const lines = { connectionId, collectionId, attempt: job.attemptsMade + 1 };
    const connection = await connections.find(connectionId);
    if (!connection || connection.collection_id !== collectionId || connection.status !== 'collecting') return;
    const signal = this.#stopping.signal;
    try {
      const incomplete = await collect(this.options, connection, signal);
      if (incomplete.length > 0) throw new Incomplete(incomplete.join('; '));
      log.info(lines, 'collected');
    } catch (error) {
      if (signal.aborted) return await this.#giveBack(job, token);
      if (error instanceof CollectionStale) return log.info(lines, 'a newer collection took over');
      if (error instanceof NeedsReauthorization) {
        log.info(lines, 'the health system wants the user to connect again');
        throw new UnrecoverableError('needs reauthorization');
      }
      log.warn({ ...lines, err: error instanceof Incomplete ? { message: error.message } : describeError(error) }, 'a collection did not end');
      if (job.attemptsMade + 1 >= (job.opts.attempts ?? 1)) await this.#fail(connectionId, collectionId, error);
      throw error;
    }
  }

  /** Puts an interrupted job back, to be taken up at once by another worker or by this one's successor. */
  async #giveBack(job: Job<CollectionJob>, token: string | undefined): Promise<never> {
    await job.moveToDelayed(Date.now(), token);
    throw new DelayedError();
  }

  async #fail(connectionId: string, collectionId: string, error: unknown): Promise<void> {
    const { connections, positions, log } = this.options;
    const types = ((await positions.find(collectionId)) ?? []).map(({ progress }) => progress);
    const message = error instanceof Incomplete ? error.message : 'the collection could not be ended';
    await connections.report(connectionId, collectionId, { state: 'failed', types, error: message }).catch((failure: unknown) => log.error({ connectionId, err: describeError(failure) }, 'a failed collection could not be reported'));
  }
}
