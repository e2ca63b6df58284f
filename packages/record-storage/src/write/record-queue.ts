import type { Pool } from 'pg';
import { ContentionError } from '../errors';

/** The maximum of waiting transactions of one record in one process; more are refused. */
const MAX_WAITING = 100;

/**
 * A queue of transactions for each record. Those of one process wait here, before they take a connection; otherwise the
 * waiting transactions of one user would take all connections of the pool. Written by hand: libraries of mutexes have
 * no bound of waiting work and keep a lock per key.
 */
class RecordQueue {
  private readonly waiting = new Map<number, { count: number; last: Promise<unknown> }>();

  async run<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const queue = this.waiting.get(userId) ?? { count: 0, last: Promise.resolve() };
    if (queue.count > MAX_WAITING) throw new ContentionError();
    this.waiting.set(userId, queue);
    queue.count++;
    const result = queue.last.then(work);
    queue.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      queue.count--;
      if (queue.count === 0) this.waiting.delete(userId);
    }
  }
}

const queues = new WeakMap<Pool, RecordQueue>();

/**
 * Runs a transaction of a record when the earlier ones of this process have ended.
 * @throws ContentionError if too many wait
 */
export function runExclusive<T>(pool: Pool, userId: number, work: () => Promise<T>): Promise<T> {
  let queue = queues.get(pool);
  if (!queue) queues.set(pool, (queue = new RecordQueue()));
  return queue.run(userId, work);
}
