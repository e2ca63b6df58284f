import { setMaxListeners } from 'node:events';
import { type CollectionJob, collectionJob, collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { describeError, openWorkerRedis } from '@tributary/service-kit';
import { DelayedError, Job, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { CollectionAttempts, type CollectionAttemptsOptions } from './collection-attempts';
import { isOurOwn } from './failures';
import { type HostAnswer, HostSchedule, isolatedHost } from './host-schedule';
import { JobLockLost, JobLocks } from './job-locks';

export interface QueueTimes {
  /** How long a job stays with a worker that shows no life. */
  lockMs: number;
  /** How often jobs are looked for whose worker is gone. */
  stalledMs: number;
  /** How long a collection waits at most while our own services are away; the first time it is tried again soon. */
  putOffMs: number;
  /** How long a host rests that answers nothing: the first time, and at most. */
  restMs: { first: number; longest: number };
}

export const ordinaryQueueTimes: QueueTimes = {
  lockMs: 12_000,
  stalledMs: 3000,
  putOffMs: 15_000,
  restMs: { first: 5000, longest: 600_000 },
};

export interface ConsumerOptions extends CollectionAttemptsOptions {
  redisUrl: string;
  /** A connection whose commands fail soon while Redis is away. */
  redis: Redis;
  concurrency: number;
  times: QueueTimes;
}

const firstPutOffMs = 1000;
/** A waiting collection is called when its time has come; one whose call is lost comes by itself after this time. */
const waitingMs = 6 * 3600_000;
/**
 * How often a job may lose its worker before BullMQ gives it up; user-management queues it again then. Crashes are counted in PostgreSQL,
 * where they outlive the job.
 */
const maxStalledCount = 10;

/** The host of the collection has enough collections under way for now. */
class NotAdmitted extends Error {
  constructor(readonly host: string) {
    super('the collection waits for its host');
  }
}

/** Takes collections from the queue. On `close` those under way are given back to the queue at once; their positions are stored. */
export class CollectionConsumer {
  readonly #worker: Worker<CollectionJob>;
  readonly #stopping = new AbortController();
  readonly #redis: Redis;
  readonly #schedule: HostSchedule;
  readonly #locks: JobLocks;
  readonly #attempts: CollectionAttempts;

  constructor(private readonly options: ConsumerOptions) {
    const { redisUrl, concurrency, times, log } = options;
    setMaxListeners(0, this.#stopping.signal); // One for each collection under way.
    this.#attempts = new CollectionAttempts(options);
    this.#schedule = new HostSchedule(
      options.redis,
      { prefix: `${collectionQueuePrefix}:schedule`, slots: concurrency, permitMs: times.lockMs, restMs: times.restMs },
      (collectionId) => this.#call(collectionId),
    );
    this.#redis = openWorkerRedis(redisUrl, log);
    this.#worker = new Worker<CollectionJob>(collectionQueueName, (job, token) => this.#run(job, token), {
      connection: this.#redis,
      prefix: collectionQueuePrefix,
      concurrency,
      lockDuration: times.lockMs,
      stalledInterval: times.stalledMs,
      maxStalledCount,
      runRetryDelay: 1000,
    });
    this.#locks = new JobLocks(this.#worker, times.lockMs);
    this.#worker.on('error', (error) => log.warn({ err: { message: error.message } }, 'the queue is not reachable'));
  }

  /** Rejects when Redis does not answer. */
  async check(): Promise<void> {
    await this.options.redis.ping();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#worker.close();
    this.#locks.close();
    await this.#schedule.close();
    this.#redis.disconnect();
  }

  async #call(collectionId: string): Promise<boolean> {
    const job = await Job.fromId(this.#worker, collectionId);
    await job?.promote();
    return job !== undefined;
  }

  #run(job: Job<CollectionJob>, token: string | undefined): Promise<void> {
    return this.#locks.hold(job.id ?? '', this.#stopping.signal, (signal) => this.#process(job, token, signal));
  }

  async #process(job: Job<CollectionJob>, token: string | undefined, signal: AbortSignal): Promise<void> {
    const { log, times } = this.options;
    const data = collectionJob.parse(job.data);
    const lines = { connectionId: data.connection_id, collectionId: data.collection_id };
    try {
      await this.#admitted(data, job.timestamp, signal);
    } catch (error) {
      if (this.#stopping.signal.aborted) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (error instanceof NotAdmitted) return await this.#wait(job, token, error.host);
      if (signal.aborted) log.warn(lines, 'a collection stops here: the lock of its job is lost');
      else {
        if (isOurOwn(error))
          log.warn({ ...lines, err: describeError(error) }, 'a collection waits for a service of ours');
        else log.error({ ...lines, err: describeError(error) }, 'a collection did not end');
        await job.moveToDelayed(Date.now() + Math.min(firstPutOffMs * job.attemptsStarted, times.putOffMs), token);
        throw new DelayedError();
      }
      throw error;
    }
  }

  /** Lets the collection run when its host may have one more. */
  async #admitted(
    { connection_id: connectionId, collection_id: collectionId, host }: CollectionJob,
    since: number,
    signal: AbortSignal,
  ): Promise<void> {
    const mustBeAlone = await this.#attempts.mustBeAlone(connectionId, collectionId);
    const scheduled = mustBeAlone ? isolatedHost : (host ?? (await this.#attempts.hostOf(connectionId)));
    if (!(await this.#schedule.admit(scheduled, collectionId, since))) throw new NotAdmitted(scheduled);
    let answer: HostAnswer = 'unknown';
    try {
      answer = await this.#attempts.run(connectionId, collectionId, signal);
    } finally {
      if (signal.reason instanceof JobLockLost) this.#schedule.abandon(scheduled, collectionId);
      else await this.#schedule.leave(scheduled, collectionId, mustBeAlone ? 'unknown' : answer);
    }
  }

  async #wait(job: Job<CollectionJob>, token: string | undefined, host: string): Promise<never> {
    await job.moveToDelayed(Date.now() + waitingMs, token);
    // It may have been called before it was in the queue again.
    if (await this.#schedule.isAdmitted(host, job.data.collection_id).catch(() => false))
      await job.promote().catch(() => undefined);
    throw new DelayedError();
  }
}
