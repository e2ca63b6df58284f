import { randomUUID } from 'node:crypto';
import { collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { createLog, openRedis, untilReady } from '@tributary/service-kit';
import { testRedis } from '@tributary/test-environment';
import { Queue } from 'bullmq';
import { CollectionQueue } from './collection-queue';

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
    const one = job();
    await Promise.all([queue.add([one]), queue.add([one]), queue.tryAdd([one])]);
    const look = new Queue(collectionQueueName, {
      connection: { url },
      prefix: collectionQueuePrefix,
      skipVersionCheck: true,
    });
    const jobs = await look.getJobs(['waiting', 'delayed', 'active', 'prioritized']);
    expect(jobs.filter(({ id }) => id === one.collection_id)).toHaveLength(1);
    await Promise.all([look.close(), queue.close()]);
    redis.disconnect();
  });

  it('returns at once while Redis is unavailable', async () => {
    const redis = openRedis('redis://127.0.0.1:1', log);
    const queue = new CollectionQueue(redis, log);
    await expect(queue.add([job()])).rejects.toThrow('not connected');
    await queue.tryAdd([job()]);
    redis.disconnect();
    await queue.close();
  });
});
