import { randomBytes } from 'node:crypto';
import { valueOfRun } from './run';

export interface TestRedis {
  readonly url: string;
  /** Nobody else's: begins the names of all keys, queues and channels of the test. It holds no colon, which queue names forbid. */
  readonly prefix: string;
}

/** The run's Redis, with a prefix of its own for the test that asks. */
export function testRedis(): TestRedis {
  return {
    url: valueOfRun('TEST_REDIS_URL'),
    prefix: `test-${valueOfRun('TEST_RUN')}-${randomBytes(6).toString('hex')}-`,
  };
}
