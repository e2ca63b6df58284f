import { setMaxListeners } from 'node:events';
import { type CollectionJob, collectionJob, collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { type RedisClient, type RedisConfig, describeError, openWorkerRedis } from '@tributary/service-kit';
import { DelayedError, Job, WaitingError, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { isInternalOutage } from '../internal-services/internal-outage';
import type { CollectionAttempts } from './collection-attempts';
import { type HostOutcome, HostScheduler, isolatedHost } from './host-scheduler';
import { JobLockLost, JobLocks } from './job-locks';

/** All in milliseconds. */
export interface QueueTimes {
  /** The lifetime of a job's lock and of a collection's permit without renewal. */
  lockMs: number;
  lockRenewalMs: number;
  permitRenewalMs: number;
  /** How often BullMQ looks for jobs whose worker has crashed. */
  stalledMs: number;
  /** The longest delay of a job while an internal service is unavailable. */
  maxDelayMs: number;
  /** The backoff of an unreachable host. */
  backoffMs: { first: number; max: number };
}

export const defaultQueueTimes: QueueTimes = {
  lockMs: 12_000,
  lockRenewalMs: 6000,
  permitRenewalMs: 2400,
  stalledMs: 3000,
  maxDelayMs: 15_000,
  backoffMs: { first: 5000, max: 600_000 },
};

export interface ConsumerOptions {
  attempts: CollectionAttempts;
  /** A connection whose commands fail soon while Redis is unavailable. */
  redis: RedisClient;
  /** For the connection of the BullMQ worker, whose commands wait for Redis. */
  redisServer: RedisConfig;
  /** How many collections run at once. */
  concurrency: number;
  times: QueueTimes;
  log: Logger;
}

const firstDelayMs = 1000;
/**
 * A job that waits for a permit is promoted by the scheduler; if the promotion is lost, the job returns by itself after
 * this time.
 */
const waitingMs = 6 * 3600_000;
/**
 * How often a job may stall before BullMQ fails it; then user-management queues it again. Crashes are counted in
 * PostgreSQL, where the count outlives the job.
 */
const maxStalledCount = 10;

/** The host of the collection has no permit free. */
class NoPermit extends Error {
  constructor(readonly host: string) {
    super('the collection waits for its host');
  }
}

/**
 * Takes jobs from the collection queue. A job is never failed: it completes when its attempt has reported its outcome,
 * and is delayed otherwise. `close` returns the running jobs to the queue at once; their checkpoints are saved.
 */
export class CollectionConsumer {
  readonly #worker: Worker<CollectionJob>;
  readonly #stopping = new AbortController();
  readonly #workerRedis: RedisClient;
  readonly #scheduler: HostScheduler;
  readonly #locks: JobLocks;

  constructor(private readonly options: ConsumerOptions) {
    const { redisServer, concurrency, times, log } = options;
    setMaxListeners(0, this.#stopping.signal); // One listener for each running collection.
    this.#scheduler = new HostScheduler(
      options.redis,
      {
        prefix: `${collectionQueuePrefix}:schedule`,
        slots: concurrency,
        permitMs: times.lockMs,
        renewalMs: times.permitRenewalMs,
        backoffMs: times.backoffMs,
      },
      (collectionId) => this.#promote(collectionId),
    );
    this.#workerRedis = openWorkerRedis(redisServer, log);
    this.#worker = new Worker<CollectionJob>(collectionQueueName, (job, token) => this.#run(job, token), {
      connection: this.#workerRedis,
      prefix: collectionQueuePrefix,
      concurrency,
      lockDuration: times.lockMs,
      lockRenewTime: times.lockRenewalMs,
      stalledInterval: times.stalledMs,
      maxStalledCount,
      runRetryDelay: 1000,
    });
    this.#locks = new JobLocks(this.#worker, times.lockMs);
    this.#worker.on('error', (error) => log.warn({ err: { message: error.message } }, 'the queue is not reachable'));
  }

  /** @throws when Redis does not respond */
  async check(): Promise<void> {
    await this.options.redis.ping();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#worker.close();
    this.#locks.close();
    await this.#scheduler.close();
    this.#workerRedis.disconnect();
  }

  async #promote(collectionId: string): Promise<boolean> {
    const job = await Job.fromId(this.#worker, collectionId);
    await job?.promote();
    return job !== undefined;
  }

  #run(job: Job<CollectionJob>, token: string | undefined): Promise<void> {
    return this.#locks.hold(job.id ?? '', this.#stopping.signal, (signal) => this.#process(job, token, signal));
  }

  /** WaitingError and DelayedError signal to BullMQ that the job was moved and is not to be completed. */
  async #process(job: Job<CollectionJob>, token: string | undefined, signal: AbortSignal): Promise<void> {
    const { log, times } = this.options;
    const data = collectionJob.parse(job.data);
    const ids = { connectionId: data.connection_id, collectionId: data.collection_id };
    try {
      await this.#runWithPermit(data, job.timestamp, signal);
    } catch (error) {
      if (this.#stopping.signal.aborted) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (error instanceof NoPermit) return await this.#delayUntilPromoted(job, token, error.host);
      if (signal.aborted) {
        log.warn(ids, 'the attempt was aborted: the lock of its job is lost');
        throw error;
      }
      if (isInternalOutage(error))
        log.warn({ ...ids, err: describeError(error) }, 'the job is delayed: an internal service is unavailable');
      else log.error({ ...ids, err: describeError(error) }, 'the job is delayed after an unexpected error');
      await job.moveToDelayed(Date.now() + Math.min(firstDelayMs * job.attemptsStarted, times.maxDelayMs), token);
      throw new DelayedError();
    }
  }

  /** Runs an attempt when the host has a permit free. @throws NoPermit, or what the attempt throws */
  async #runWithPermit(
    { connection_id: connectionId, collection_id: collectionId, host }: CollectionJob,
    queuedAt: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { attempts } = this.options;
    const isIsolated = await attempts.needsIsolation(connectionId, collectionId);
    const scheduledHost = isIsolated ? isolatedHost : (host ?? (await attempts.hostOf(connectionId)));
    if (!(await this.#scheduler.acquire(scheduledHost, collectionId, queuedAt))) throw new NoPermit(scheduledHost);
    let outcome: HostOutcome = 'unknown';
    try {
      outcome = await attempts.run(connectionId, collectionId, signal);
    } finally {
      if (signal.reason instanceof JobLockLost) this.#scheduler.abandon(scheduledHost, collectionId);
      else await this.#scheduler.release(scheduledHost, collectionId, isIsolated ? 'unknown' : outcome);
    }
  }

  async #delayUntilPromoted(job: Job<CollectionJob>, token: string | undefined, host: string): Promise<never> {
    await job.moveToDelayed(Date.now() + waitingMs, token);
    // The promotion may have come before the job was delayed.
    if (await this.#scheduler.hasPermit(host, job.data.collection_id).catch(() => false))
      await job.promote().catch(() => undefined);
    throw new DelayedError();
  }
}
