import { randomBytes } from 'node:crypto';
import { valueOfRun } from './run';

export interface TestRedis {
  readonly url: string;
  /**
   * The unique prefix of all keys, queues and channels of the test. It contains no colon, which queue names must not.
   */
  readonly prefix: string;
}

/** A database of the Redis of the run that only this test file has, with a unique prefix for a test. */
export function testRedis(): TestRedis {
  return {
    url: valueOfRun('TEST_REDIS_URL'),
    prefix: `test-${valueOfRun('TEST_RUN')}-${randomBytes(6).toString('hex')}-`,
  };
}
