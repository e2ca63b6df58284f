import { randomBytes } from 'node:crypto';
import { writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CollectionJob, ConnectionsClient, InternalHttp, RecordsClient, collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { LocalKeyEncryptionKey, ScopedKeys } from '@tributary/key-vault';
import { createLog, openDatabase, openRedis, untilReady } from '@tributary/service-kit';
import { type JobsOptions, Queue } from 'bullmq';
import { Turns } from '../attachments/attachment-limits';
import { databaseSchema } from '../config';
import { AnswerBudget } from '../health-system/answer-budget';
import { RedisHostLeases } from '../health-system/host-leases';
import { HostLimits, type RequestCaps } from '../health-system/host-limits';
import { healthSystemHttp } from '../health-system/http';
import { migrations } from '../positions/migrations';
import { collectionEntity, positionEntity } from '../positions/position';
import { Positions } from '../positions/positions';
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
  anyAddress: boolean;
  lockMs: number;
  logLevel: string;
}

export interface RunningWorker {
  positions: Positions;
  answers: AnswerBudget;
  stop(): Promise<void>;
}

/** The worker as `main.ts` puts it together, with short pauses. */
export async function startWorker(place: WorkerPlace): Promise<RunningWorker> {
  const database = await openDatabase({ database: place.databaseUrl, schema: databaseSchema, entities: [collectionEntity, positionEntity], migrations });
  const kek = await LocalKeyEncryptionKey.fromFile(place.keyFile);
  const positions = new Positions(database, new ScopedKeys({ run: (sql, values) => database.query(sql, values), kek }));
  const internal = (service: string, baseUrl: string): InternalHttp => new InternalHttp({ service, baseUrl, caller: 'ingestion-worker', key: 'a key of sixteen characters' });
  const log = createLog('ingestion-worker', place.logLevel);
  const redis = openRedis(place.redisUrl, log);
  await untilReady(redis);
  const limits = new HostLimits(place.caps, new RedisHostLeases(redis));
  const answers = new AnswerBudget(place.answerBytes);
  const consumer = new CollectionConsumer({
    connections: new ConnectionsClient(internal('user-management', place.userManagementUrl)),
    records: new RecordsClient(internal('fhir-store', place.fhirStoreUrl)),
    positions,
    http: healthSystemHttp(place.anyAddress),
    limits,
    answers,
    attachments: { mostBytes: 20_000_000, turns: new Turns(2) },
    patience: { throttledAttempts: 8, failedAttempts: 4, firstPauseMs: 20, longestPauseMs: 1100 },
    ownPatience: { forMs: 2500, firstPauseMs: 20 },
    times: { lockMs: place.lockMs, stalledMs: place.lockMs / 4, putOffMs: 200 },
    redisUrl: place.redisUrl,
    concurrency: place.collectionsAtOnce,
    log,
  });
  return {
    positions,
    answers,
    stop: async () => {
      await consumer.close();
      await limits.close();
      redis.disconnect();
      await database.destroy();
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
      defaultJobOptions: { attempts: 3, backoff: { type: 'fixed', delay: 100 }, removeOnComplete: true, removeOnFail: true, ...options },
    });
  }

  async add(...jobs: CollectionJob[]): Promise<void> {
    const from = Date.now() - jobs.length;
    await this.#queue.addBulk(jobs.map((data, place) => ({ name: 'collect', data, opts: { jobId: data.collection_id, timestamp: from + place } })));
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}
