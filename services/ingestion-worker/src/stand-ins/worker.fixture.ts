import { randomBytes } from 'node:crypto';
import { writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CollectionJob, collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { createLog } from '@tributary/service-kit';
import { type JobsOptions, Queue } from 'bullmq';
import { type CollectorSettings, openCollector } from '../collector';
import type { AnswerBudget } from '../health-system/answer-budget';
import type { RequestCaps } from '../health-system/host-limits';
import { CheckpointSweep } from '../positions/checkpoint-sweep';
import type { Positions } from '../positions/positions';
import { CollectionConsumer } from '../queue/collection-consumer';

/** Where a worker of a test finds what it needs; plain values, so that they reach another process. */
export interface WorkerPlace {
  databaseUrl: string;
  redisUrl: string;
  userManagementUrl: string;
  fhirStoreUrl: string;
  keyFile: string;
  collectionsAtOnce: number;
  caps: RequestCaps;
  answerBytes: number;
  /** As SANDBOX_MODE. */
  allowPrivateAddresses: boolean;
  lockMs: number;
  logLevel: string;
}

export interface RunningWorker {
  positions: Positions;
  answers: AnswerBudget;
  sweep: CheckpointSweep;
  /** Rejects when Redis does not answer. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/** The worker as `main.ts` puts it together, with short pauses. */
export async function startWorker(place: WorkerPlace): Promise<RunningWorker> {
  const log = createLog('ingestion-worker', place.logLevel);
  const settings: CollectorSettings = {
    ...place,
    database: place.databaseUrl,
    serviceKey: 'a key of sixteen characters',
    attachmentBytes: 20_000_000,
    attachmentsAtOnce: 2,
    patience: { throttledAttempts: 8, failedAttempts: 4, firstPauseMs: 20, longestPauseMs: 1100 },
    ownPatience: { forMs: 2500, firstPauseMs: 20 },
    reportEveryMs: 200,
  };
  const collector = await openCollector(settings, log);
  const { source, keys, connections, positions, answers } = collector;
  const consumer = new CollectionConsumer({
    ...collector,
    settings,
    mostFailedAttempts: 3,
    times: { lockMs: place.lockMs, stalledMs: place.lockMs / 4, putOffMs: 200, restMs: { first: 50, longest: 1000 } },
    redisUrl: place.redisUrl,
    concurrency: place.collectionsAtOnce,
    log,
  });
  return {
    positions,
    answers,
    sweep: new CheckpointSweep({ database: source, keys, connections, positions, log }),
    check: () => consumer.check(),
    stop: async () => {
      await consumer.close();
      await collector.close();
    },
  };
}

/** A key-encryption key of the test. */
export function keyFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'worker-key-')), 'key');
  writeFileSync(file, randomBytes(32).toString('base64'));
  return file;
}

/** A Redis for one test file: the queue has one name, so each file takes a database of its own. */
export function redisDatabase(url: string, database: number): string {
  const own = new URL(url);
  own.pathname = `/${database}`;
  return own.href;
}

/** The queue as user-management fills it. */
export class TestQueue {
  readonly #queue: Queue<CollectionJob>;

  constructor(redisUrl: string, options: JobsOptions = {}) {
    this.#queue = new Queue<CollectionJob>(collectionQueueName, {
      connection: { url: redisUrl },
      prefix: collectionQueuePrefix,
      defaultJobOptions: {
        attempts: 5,
        backoff: { type: 'fixed', delay: 100 },
        removeOnComplete: true,
        removeOnFail: true,
        ...options,
      },
    });
  }

  async add(...jobs: CollectionJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const from = Date.now() - jobs.length;
    await this.#queue.addBulk(
      jobs.map((data, place) => ({
        name: 'collect',
        data,
        opts: { jobId: data.collection_id, timestamp: from + place },
      })),
    );
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}
