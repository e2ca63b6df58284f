import { createLog, openRedis, untilReady } from '@tributary/service-kit';
import { startTcpProxy, testRedis } from '@tributary/test-environment';
import { PlanningQueue } from './planning-queue';

const log = createLog('test', 'silent');

describe('the planning queue does not block callers', () => {
  it('while Redis has never been there', async () => {
    const redis = openRedis('redis://127.0.0.1:1', log);
    const queue = new PlanningQueue(redis, testRedis().prefix, log);
    await queue.add(['one']);
    redis.disconnect();
    await queue.close();
  });

  it('while Redis hangs', async () => {
    const { url, prefix } = testRedis();
    const proxy = await startTcpProxy(url);
    const redis = openRedis(proxy.url, log);
    await untilReady(redis);
    const queue = new PlanningQueue(redis, prefix, log);
    await queue.add(['one']);
    proxy.hang();
    await queue.add(['two']);
    redis.disconnect();
    await queue.close();
    await proxy.close();
  });
});
