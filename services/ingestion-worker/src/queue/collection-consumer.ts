import { setMaxListeners } from 'node:events';
import { type CollectionJob, NeedsReauthorization, collectionJob, collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { describeError, openWorkerRedis } from '@tributary/service-kit';
import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type CollectionDependencies, CollectionStale, collect } from '../collection/collect';
import { isOurOwn } from './failures';
import { type Applicant, Places } from './places';

export interface QueueTimes {
  /** How long a job stays with a worker that shows no life. */
  lockMs: number;
  /** How often jobs are looked for whose worker is gone. */
  stalledMs: number;
  /** How long a collection waits at most while our own services are away; the first time it is tried again soon. */
  putOffMs: number;
}

export const ordinaryQueueTimes: QueueTimes = { lockMs: 12_000, stalledMs: 3000, putOffMs: 15_000 };

export interface ConsumerOptions extends CollectionDependencies {
  redisUrl: string;
  concurrency: number;
  times: QueueTimes;
  log: Logger;
}

const firstPutOffMs = 1000;

/** A collection that could not be ended now; the queue tries it again, from where it stands. */
class Interrupted extends Error {}

/** The health system has enough collections under way here for now. */
class NoPlace extends Error {
  constructor(readonly host: string) {
    super();
  }
}

/** Takes collections from the queue. On `close` those under way are given back to the queue at once; their positions are stored. */
export class CollectionConsumer {
  readonly #worker: Worker<CollectionJob>;
  readonly #stopping = new AbortController();
  readonly #redis: Redis;
  readonly #places: Places;

  constructor(private readonly options: ConsumerOptions) {
    const { redisUrl, concurrency, times, log } = options;
    setMaxListeners(0, this.#stopping.signal); // One for each collection under way.
    this.#places = new Places(concurrency);
    this.#redis = openWorkerRedis(redisUrl, log);
    this.#worker = new Worker<CollectionJob>(collectionQueueName, (job, token) => this.#run(job, token), {
      connection: this.#redis,
      prefix: collectionQueuePrefix,
      concurrency,
      lockDuration: times.lockMs,
      stalledInterval: times.stalledMs,
      maxStalledCount: 1_000_000,
      runRetryDelay: 1000,
    });
    this.#worker.on('error', (error) => log.warn({ err: { message: error.message } }, 'the queue is not reachable'));
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
    const { log, times } = this.options;
    const { connection_id: connectionId, collection_id: collectionId } = collectionJob.parse(job.data);
    const lines = { connectionId, collectionId, attempt: job.attemptsMade + 1 };
    const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
    try {
      await this.#collect(job, isLast, lines);
    } catch (error) {
      if (this.#stopping.signal.aborted) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (error instanceof NoPlace) {
        await job.moveToDelayed(this.#places.nextReturn(Date.now(), job.attemptsStarted), token);
        this.#places.putBack(error.host, applicantOf(job));
        throw new DelayedError();
      }
      if (error instanceof CollectionStale) return log.info(lines, 'a newer collection took over');
      if (error instanceof NeedsReauthorization) {
        log.info(lines, 'the health system wants the user to connect again');
        throw new UnrecoverableError('needs reauthorization');
      }
      if (isOurOwn(error)) {
        log.warn({ ...lines, err: describeError(error) }, 'a collection waits for a service of ours');
        await job.moveToDelayed(Date.now() + Math.min(firstPutOffMs * job.attemptsStarted, times.putOffMs), token);
        throw new DelayedError();
      }
      log.warn({ ...lines, err: error instanceof Interrupted ? { message: error.message } : describeError(error) }, 'a collection did not end');
      if (isLast) await this.#fail(connectionId, collectionId);
      throw error;
    }
  }

  async #collect(job: Job<CollectionJob>, isLast: boolean, lines: object): Promise<void> {
    const { connections, log } = this.options;
    const { connection_id: connectionId, collection_id: collectionId } = job.data;
    const connection = await connections.find(connectionId);
    if (!connection || connection.collection_id !== collectionId || connection.status !== 'collecting') return;
    const host = hostOf(connection.fhir_base_url);
    if (!this.#places.take(host, applicantOf(job))) throw new NoPlace(host);
    const end = await collect(this.options, connection, { signal: this.#stopping.signal, isLast }).finally(() => this.#places.leave(host));
    if (end.state === 'interrupted') throw new Interrupted(end.reasons);
    if (end.state === 'failed') log.warn({ ...lines, reasons: end.reasons }, 'a collection failed');
    else log.info(lines, 'collected');
  }

  /** Tells that a collection ended in a way nobody expected, with what was collected until then. */
  async #fail(connectionId: string, collectionId: string): Promise<void> {
    const { connections, positions, log } = this.options;
    try {
      const types = ((await positions.find(collectionId)) ?? []).map(({ progress }) => progress);
      await connections.report(connectionId, collectionId, { state: 'failed', types, error: 'the collection could not be ended' });
    } catch (error) {
      log.error({ connectionId, err: describeError(error) }, 'a failed collection could not be reported');
    }
  }
}

function applicantOf(job: Job<CollectionJob>): Applicant {
  return { id: job.data.collection_id, since: job.timestamp, call: () => job.promote() };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
