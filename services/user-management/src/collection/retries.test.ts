import {
  type CollectionReport,
  type ConnectionEntry,
  collectionQueueName,
  collectionQueuePrefix,
} from '@tributary/contracts';
import { type RedisClient, createLog, openRedis, readConfig, untilReady } from '@tributary/service-kit';
import { type TcpProxy, startTcpProxy, waitUntil } from '@tributary/test-environment';
import { Queue } from 'bullmq';
import request from 'supertest';
import type { DataSource } from 'typeorm';
import { vaultConfig } from '../config';
import { openServiceDatabase } from '../database/open-database';
import {
  type ConnectedSystem,
  type Person,
  connect,
  connectionsOf,
  newHealthSystem,
  newPerson,
} from '../../test/connect-flow';
import { workerCredentials } from '../../test/connection-scene';
import { type RunningForTest, runForTest } from '../../test/running-service';
import { CollectionQueue } from './collection-queue';
import { enqueueDueCollections } from './due-collections';
import { collectionRetryDelayMs, nextCollectionDelayMs } from './retry-delay';

const log = createLog('test', 'silent');
const transient: CollectionReport = {
  state: 'failed',
  types: [],
  error: { code: 'health_system_unavailable', message: 'metadata: it did not respond' },
  failure: 'transient',
};
const whole: CollectionReport = { state: 'completed', types: [] };

describe('a collection whose health system is unavailable', () => {
  let service: RunningForTest;
  let source: DataSource;
  let redis: RedisClient;
  let proxy: TcpProxy;
  let queue: CollectionQueue;
  let jobs: Queue;
  let person: Person;
  let at: ConnectedSystem;
  let connection: { connection_id: string; collection_id: string };
  beforeAll(async () => {
    service = await runForTest();
    ({ database: source } = await openServiceDatabase(readConfig(vaultConfig, service.environment)));
    proxy = await startTcpProxy(service.environment['REDIS_URL'] as string);
    redis = openRedis(proxy.url, log);
    await untilReady(redis);
    queue = new CollectionQueue(redis, log);
    jobs = new Queue(collectionQueueName, {
      connection: { url: service.environment['REDIS_URL'] as string },
      prefix: collectionQueuePrefix,
      skipVersionCheck: true,
    });
  });
  afterAll(async () => {
    await Promise.all([jobs.close(), queue.close()]);
    redis.disconnect();
    await proxy.close();
    await source.destroy();
    await service.stop();
  });
  beforeEach(async () => {
    person = await newPerson(service);
    at = await newHealthSystem(service);
    await connect(service, person, at);
    connection = (await row()) as typeof connection;
    await request(service.app)
      .post('/connect/v1/webhooks')
      .set(person.clientHeaders)
      .send({ url: 'http://127.0.0.1:9/' });
  });
  afterEach(() => at.system.close());

  const row = async (): Promise<Record<string, unknown>> =>
    (await service.sql('SELECT * FROM connection WHERE service_user_id = $1', [person.serviceUserId]))[0] ?? {};
  const entry = async (): Promise<ConnectionEntry> => (await connectionsOf(service, person))[0] as ConnectionEntry;
  const events = async (): Promise<string[]> =>
    (
      await service.sql('SELECT body FROM webhook_event WHERE service_user_id = $1 ORDER BY sequence', [
        person.serviceUserId,
      ])
    ).map(({ body }) => (JSON.parse(String(body)) as { type: string }).type);
  const report = async (body: CollectionReport): Promise<number> => {
    const { connection_id, collection_id } = connection;
    return (
      await request(service.internal)
        .put(`/internal/v1/connections/${connection_id}/collections/${collection_id}`)
        .set('Authorization', workerCredentials)
        .send(body)
    ).status;
  };
  /** The delay before the retry, in milliseconds. */
  const pauseMs = async (): Promise<number> => {
    const [found] = await service.sql(
      'SELECT extract(epoch FROM retry_at - now())::float * 1000 AS ms FROM connection WHERE connection_id = $1',
      [connection.connection_id],
    );
    return found?.['ms'] as number;
  };
  const sweep = (): Promise<void> => enqueueDueCollections(source, queue);
  const job = (): Promise<unknown> => jobs.getJob(connection.collection_id);
  /** Removes the job, as the worker does, and makes the retry due. */
  const passPause = async (): Promise<void> => {
    await jobs.remove(connection.collection_id);
    await service.sql('UPDATE connection SET retry_at = now(), enqueue_at = now() WHERE connection_id = $1', [
      connection.connection_id,
    ]);
  };

  it('stays collecting, reports its retry time, is retried with exponential backoff, and ends active without an event of a failure', async () => {
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      expect(await report(transient)).toBe(200);
      expect(await entry()).toMatchObject({
        status: 'collecting',
        error: { code: 'health_system_unavailable', message: 'metadata: it did not respond' },
        retry_at: expect.any(String),
      });
      pauses.push(await pauseMs());
      await passPause();
      await sweep();
      expect(await job()).toBeDefined();
      expect((await entry()).retry_at).toBeUndefined();
    }
    expect(pauses.every((pause, i) => i === 0 || pause > (pauses[i - 1] as number))).toBe(true);
    expect(pauses.at(-1)).toBeGreaterThan(120_000);
    expect(await report(whole)).toBe(200);
    expect(await entry()).toMatchObject({ status: 'active' });
    expect((await entry()).error).toBeUndefined();
    expect(await events()).toEqual(['connection.active', 'collection.completed']);
  });

  it('is not enqueued before its delay is over, and a repeated report of a failure counts once', async () => {
    await report(transient);
    await jobs.remove(connection.collection_id);
    const first = await row();
    expect(await report(transient)).toBe(200);
    expect(await row()).toEqual(first);
    await sweep();
    expect(await job()).toBeUndefined();
  });

  it('waits for the Retry-After of the health system', async () => {
    await report({ ...transient, retry_after_seconds: 7200 });
    expect(await pauseMs()).toBeGreaterThan(7_190_000);
  });

  it('is retried at once when the user requests it', async () => {
    await report(transient);
    await jobs.remove(connection.collection_id);
    const response = await request(service.app)
      .post(`/connect/v1/connections/${connection.connection_id}/refresh`)
      .set('Authorization', `Bearer ${person.token}`);
    expect(response.body).toMatchObject({ status: 'collecting', connection_id: connection.connection_id });
    expect((response.body as ConnectionEntry).retry_at).toBeUndefined();
    expect(await job()).toBeDefined();
  });

  it('fails after an outage of a week if it is the first of its connection; later ones never do', async () => {
    const longAgo = (): Promise<unknown> =>
      service.sql(
        `UPDATE connection SET failing_since = now() - interval '8 days', retry_at = NULL WHERE connection_id = $1`,
        [connection.connection_id],
      );
    await report(transient);
    await longAgo();
    await report(transient);
    expect(await entry()).toMatchObject({
      status: 'failed',
      error: { code: 'health_system_unavailable', message: 'metadata: it did not respond' },
    });
    expect(await events()).toEqual(['connection.failed']);
    await service.sql(`UPDATE connection SET next_collection_at = now() WHERE connection_id = $1`, [
      connection.connection_id,
    ]);
    await sweep();
    connection = (await row()) as typeof connection;
    await report(whole);
    await service.sql(`UPDATE connection SET next_collection_at = now() WHERE connection_id = $1`, [
      connection.connection_id,
    ]);
    await sweep();
    connection = (await row()) as typeof connection;
    await report(transient);
    await longAgo();
    await report(transient);
    expect(await entry()).toMatchObject({ status: 'collecting', retry_at: expect.any(String) });
    expect(await events()).toEqual(['connection.failed', 'connection.active', 'collection.completed']);
  });

  it('fails at once for a permanent reason', async () => {
    await report({ ...transient, failure: 'permanent' });
    expect(await entry()).toMatchObject({ status: 'failed' });
    expect(await events()).toEqual(['connection.failed']);
  });

  describe('the queue', () => {
    it('locks no row while Redis does not respond', async () => {
      await sweep();
      await jobs.remove(connection.collection_id);
      await service.sql('UPDATE connection SET enqueue_at = now() WHERE connection_id = $1', [
        connection.connection_id,
      ]);
      proxy.holdFrom(connection.collection_id, 'requests');
      const sweeping = sweep();
      await waitUntil(() => proxy.isHolding());
      await service.sql(`SELECT FROM connection WHERE connection_id = $1 FOR UPDATE NOWAIT`, [
        connection.connection_id,
      ]);
      expect(await report({ state: 'collecting', types: [] })).toBe(200);
      proxy.resume();
      await sweeping.catch(() => undefined);
      await waitUntil(async () => {
        await sweep().catch(() => undefined);
        return (await job()) !== undefined;
      });
    });

    it('gets every job again after Redis lost its data, except those of postponed collections', async () => {
      await sweep();
      const waiting = connection;
      await report(transient);
      const another = await newHealthSystem(service);
      await connect(service, person, another);
      await another.system.close();
      const [other] = (await service.sql(
        `SELECT collection_id FROM connection WHERE service_user_id = $1 AND retry_at IS NULL`,
        [person.serviceUserId],
      )) as { collection_id: string }[];
      await service.sql(
        `UPDATE connection SET enqueue_at = now() + interval '20 minutes', enqueue_attempts = 5 WHERE service_user_id = $1`,
        [person.serviceUserId],
      );
      for (const id of [waiting.collection_id, other?.collection_id ?? '']) await jobs.remove(id);
      await redis.del(`${collectionQueuePrefix}:${collectionQueueName}:mark`);
      await sweep();
      expect(await jobs.getJob(other?.collection_id ?? '')).toBeDefined();
      expect(await jobs.getJob(waiting.collection_id)).toBeUndefined();
    });

    it('does not get jobs again and again that wait in it', async () => {
      const seconds: number[] = [];
      for (let i = 0; i < 7; i++) {
        await service.sql('UPDATE connection SET enqueue_at = now() WHERE connection_id = $1', [
          connection.connection_id,
        ]);
        await sweep();
        const [next] = await service.sql(
          'SELECT extract(epoch FROM enqueue_at - now())::float AS seconds FROM connection WHERE connection_id = $1',
          [connection.connection_id],
        );
        seconds.push(Math.ceil((next?.['seconds'] as number) / 60));
      }
      expect(seconds).toEqual([1, 2, 4, 8, 16, 30, 30]);
      await report({ state: 'collecting', types: [] });
      const [next] = await service.sql(
        `SELECT enqueue_at < now() + interval '61 seconds' AS soon FROM connection WHERE connection_id = $1`,
        [connection.connection_id],
      );
      expect(next).toEqual({ soon: true });
    });

    it('gets all due collections in one sweep, with the host of each', async () => {
      await report(whole);
      await service.sql(
        `INSERT INTO connection (connection_id, service_user_id, client_id, health_system_id, health_system_name, fhir_version, fhir_base_url, patient_id_sealed, patient_id_blind_index, grant_id, consent_receipt_id, status, collection_id, next_collection_at)
         SELECT gen_random_uuid(), service_user_id, client_id, 100000 + n, '', fhir_version, fhir_base_url, patient_id_sealed, patient_id_blind_index, grant_id, consent_receipt_id, 'active', gen_random_uuid(), now()
         FROM connection, generate_series(1, 1100) n WHERE connection_id = $1`,
        [connection.connection_id],
      );
      await sweep();
      const started = (await service.sql(
        `SELECT collection_id FROM connection WHERE service_user_id = $1 AND status = 'collecting'`,
        [person.serviceUserId],
      )) as { collection_id: string }[];
      expect(started).toHaveLength(1100);
      const queued = await Promise.all(started.map(({ collection_id }) => jobs.getJob(collection_id)));
      expect(new Set(queued.map((one) => (one?.data as { host?: string } | undefined)?.host))).toEqual(
        new Set([new URL(at.system.url).host]),
      );
      await service.sql('DELETE FROM connection WHERE health_system_id > 100000');
    });
  });

  it('changes no indexed column by a progress report: heap-only tuple updates are possible', async () => {
    await sweep();
    const indexed = await service.sql(
      `SELECT DISTINCT a.attname AS name FROM pg_index i
       JOIN pg_attribute a ON a.attrelid = i.indrelid AND (a.attnum = ANY (i.indkey::int2[]) OR pg_get_expr(i.indpred, i.indrelid) ~ ('\\m' || a.attname || '\\M'))
       WHERE i.indrelid = 'connection'::regclass`,
    );
    expect(indexed.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['enqueue_at', 'status', 'next_collection_at']),
    );
    const valuesOf = (found: Record<string, unknown>): unknown[] => indexed.map(({ name }) => found[String(name)]);
    const before = await row();
    for (const stored of [1, 2])
      expect(
        await report({
          state: 'collecting',
          types: [
            {
              type: 'Patient',
              read: 'full',
              created: stored,
              deleted: 0,
              fetched: stored,
              stored,
              unchanged: 0,
              failed: 0,
              done: false,
              outcome: 'pending',
              warnings: [],
            },
          ],
        }),
      ).toBe(200);
    const after = await row();
    expect(valuesOf(after)).toEqual(valuesOf(before));
    expect(after['progress']).not.toEqual(before['progress']);
    expect(after['heartbeat_at']).not.toEqual(before['heartbeat_at']);
  });
});

describe('the delay before a retry', () => {
  it('doubles from ten seconds to the maximum, with a jitter of 20 %', () => {
    const pauses = Array.from({ length: 16 }, (_x, i) =>
      collectionRetryDelayMs(i + 1, { maxMs: 86_400_000, random: 0.5 }),
    );
    expect(pauses.slice(0, 4)).toEqual([10_000, 20_000, 40_000, 80_000]);
    expect(pauses.at(-1)).toBe(86_400_000);
    expect([0, 1].map((random) => collectionRetryDelayMs(1, { maxMs: 86_400_000, random }))).toEqual([8_000, 12_000]);
  });

  it('is at least the Retry-After of the health system, up to the maximum', () => {
    expect(collectionRetryDelayMs(1, { maxMs: 86_400_000, retryAfterSeconds: 600, random: 0 })).toBe(600_000);
    expect(collectionRetryDelayMs(1, { maxMs: 86_400_000, retryAfterSeconds: 1_000_000, random: 0 })).toBe(86_400_000);
  });
});

describe('the next collection', () => {
  const minute = 60_000;
  const day = 24 * 60 * minute;

  it('starts after the interval, varied by 10 %', () => {
    expect([0, 0.5, 1].map((random) => nextCollectionDelayMs(day, undefined, random) / day)).toEqual([0.9, 1, 1.1]);
  });

  it('starts sooner while a type fails, from 10 min on, and after the interval at the latest', () => {
    const failing = [0, 10, 25, 40, 3 * 24 * 60];
    const delays = failing.map((minutes) => nextCollectionDelayMs(day, minutes * minute, 0.5) / minute);
    expect(delays).toEqual([10, 10, 25, 40, 24 * 60]);
    expect(nextCollectionDelayMs(minute, 0, 0.5)).toBe(minute);
  });
});
