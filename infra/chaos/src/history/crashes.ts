import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@tributary/test-environment';
import type { Suite } from './suite';

const lookEveryMs = 20;

/**
 * Kills a replica, PostgreSQL and the other replica in turn, evenly over the run, and restarts them. A primary of Redis
 * that another server replaces is killed as the third.
 */
export async function causeCrashes(
  suite: Suite,
  random: Random,
  count: number,
  progress: () => number,
  isOver: () => boolean,
): Promise<string[]> {
  const done: string[] = [];
  const first = random.below(2);
  for (let crash = 0; crash < count; crash++) {
    while (!isOver() && progress() < (crash + 1) / (count + 1)) await sleep(lookEveryMs);
    if (isOver()) break;
    if (crash % 3 === 1) {
      await suite.database.crash();
      done.push('PostgreSQL');
    } else if (crash === 2 && suite.hasRedisReplicas) {
      suite.killRedisPrimary();
      done.push('a primary of Redis');
    } else {
      const number = (first + crash) % 2;
      const replica = suite.replicas[number];
      await replica?.end('SIGKILL');
      await replica?.start();
      done.push(`replica ${number}`);
    }
  }
  return done;
}
