import { randomUUID } from 'node:crypto';
import { collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { createLog, openRedis, untilReady } from '@tributary/service-kit';
import { testRedis } from '@tributary/test-environment';
import { Queue } from 'bullmq';
import { CollectionQueue } from './collection-queue';
import { measureQueue } from './measure-queue';

const log = createLog('test', 'silent');
const job = (): { connection_id: string; collection_id: string } => ({
  connection_id: randomUUID(),
  collection_id: randomUUID(),
});

describe('the collection queue', () => {
  it('holds a job once, however often it is added', async () => {
    const { url } = testRedis();
    const redis = openRedis(url, log);
    await untilReady(redis);
    const queue = new CollectionQueue(redis, log);
    const metric = { set: jest.fn(), remove: jest.fn() };
    await measureQueue(queue, metric);
    expect(metric.set).toHaveBeenLastCalledWith(0);
    const one = job();
    await Promise.all([queue.add([one]), queue.add([one]), queue.tryAdd([one])]);
    const look = new Queue(collectionQueueName, {
      connection: { url },
      prefix: collectionQueuePrefix,
      skipVersionCheck: true,
    });
    const jobs = await look.getJobs(['waiting', 'delayed', 'active', 'prioritized']);
    expect(jobs.filter(({ id }) => id === one.collection_id)).toHaveLength(1);
    jest.spyOn(Date, 'now').mockReturnValue(jobs[0]!.timestamp + 90_000);
    await measureQueue(queue, metric);
    expect(metric.set).toHaveBeenLastCalledWith(90);
    jest.restoreAllMocks();
    expect(metric.remove).not.toHaveBeenCalled();
    await Promise.all([look.close(), queue.close()]);
    redis.disconnect();
  });

  it('returns at once while Redis is unavailable', async () => {
    const redis = openRedis('redis://127.0.0.1:1', log);
    const queue = new CollectionQueue(redis, log);
    await expect(queue.add([job()])).rejects.toThrow('not connected');
    await queue.tryAdd([job()]);
    const metric = { set: jest.fn(), remove: jest.fn() };
    await expect(measureQueue(queue, metric)).rejects.toThrow('not connected');
    expect([metric.set.mock.calls, metric.remove.mock.calls]).toEqual([[], [[]]]);
    redis.disconnect();
    await queue.close();
  });
});
