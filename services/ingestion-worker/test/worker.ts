import { randomBytes } from 'node:crypto';
import { writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CollectionJob, collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { keyEncryptionKeyConfig } from '@tributary/key-providers';
import { ServiceRuntime, createLog, redisConfig } from '@tributary/service-kit';
import { type JobsOptions, Queue } from 'bullmq';
import { startApp } from '../src/app';
import type { CheckpointSweep } from '../src/checkpoints/checkpoint-sweep';
import type { Attempts } from '../src/checkpoints/attempts';
import type { CollectorSettings } from '../src/collector';
import type { RequestCaps } from '../src/health-system/host-request-limiter';
import type { ResponseMemoryBudget } from '../src/health-system/response-memory-budget';

/** The settings of a worker in a test, as plain values that can be sent to a child process. */
export interface TestWorkerSettings {
  databaseUrl: string;
  redisUrl: string;
  userManagementUrl: string;
  fhirStoreUrl: string;
  keyFile: string;
  collectionsAtOnce: number;
  caps: RequestCaps;
  responseMemoryBytes: number;
  /** As SANDBOX_MODE. */
  allowPrivateAddresses: boolean;
  lockMs: number;
  logLevel: string;
}

export interface RunningWorker {
  attempts: Attempts;
  responseMemory: ResponseMemoryBudget;
  sweep: CheckpointSweep;
  /** Rejects when Redis does not respond. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the app of `main.ts` with short pauses. */
export async function startWorker(workerSettings: TestWorkerSettings): Promise<RunningWorker> {
  const { databaseUrl, lockMs, collectionsAtOnce, logLevel } = workerSettings;
  const settings: CollectorSettings = {
    ...workerSettings,
    database: databaseUrl,
    redis: redisConfig.parse({ REDIS_URL: workerSettings.redisUrl }),
    keyEncryptionKey: keyEncryptionKeyConfig.parse({ KEY_ENCRYPTION_KEY_FILE: workerSettings.keyFile }),
    maxAttachmentBytes: 200_000_000,
    concurrentAttachments: 2,
    fullCollectionDays: 30,
    retryPolicy: {
      maxThrottledRequests: 8,
      maxFailedRequests: 4,
      maxTimedOutRequests: 2,
      idleTimeoutMs: 60_000,
      firstPauseMs: 20,
      maxPauseMs: 30_000,
      maxRetryAfterMs: 1100,
    },
    internalRetryPolicy: { firstPauseMs: 20, maxPauseMs: 2000, maxElapsedMs: 2500 },
    reportIntervalMs: 200,
  };
  const times = {
    lockMs,
    lockRenewalMs: lockMs / 200,
    permitRenewalMs: lockMs / 200,
    stalledMs: 300,
    maxDelayMs: 200,
    backoffMs: { first: 50, max: 1000 },
  };
  const runtime = await ServiceRuntime.open(
    { name: 'ingestion-worker', serviceKey: 'a key of sixteen characters' },
    createLog('ingestion-worker', logLevel),
  );
  const { collector, consumer, sweep, close } = await startApp(
    { settings, maxFailedAttempts: 3, times, concurrency: collectionsAtOnce },
    runtime,
  );
  return {
    attempts: collector.attempts,
    responseMemory: collector.responseMemory,
    sweep,
    check: () => consumer.check(),
    stop: close,
  };
}

/** The path of a new key-encryption key. */
export function keyFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'worker-key-')), 'key');
  writeFileSync(file, randomBytes(32).toString('base64'));
  return file;
}

/** The collection queue, filled as user-management does. */
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
      jobs.map((data, index) => ({
        name: 'collect',
        data,
        opts: { jobId: data.collection_id, timestamp: from + index },
      })),
    );
  }

  /** Whether every job has been completed. */
  async isEmpty(): Promise<boolean> {
    return (await this.#queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized')) === 0;
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}
