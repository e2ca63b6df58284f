import { setImmediate as ioProcessed } from 'node:timers/promises';
import type { Redis } from 'ioredis';

/** How a connection is checked; times are in milliseconds. */
export interface LivenessCheck {
  readonly intervalMs: number;
  readonly replyTimeoutMs: number;
}

const defaultCheck: LivenessCheck = { intervalMs: 1000, replyTimeoutMs: 800 };

/**
 * Sends PING every second, by default, and closes a connection that does not reply, or that is not ready after two
 * intervals; ioredis then opens another one. TCP detects a lost host or network only after many minutes. The
 * `socketTimeout` of ioredis does not help: its timer outlives the connection and closes the next one. The check ends
 * with the client.
 */
export function closeWhenUnresponsive(redis: Redis, { intervalMs, replyTimeoutMs } = defaultCheck): void {
  let connections = 0;
  let unready = 0;
  redis.on('connect', () => {
    connections++;
    unready = 0;
  });

  const check = async (): Promise<void> => {
    const connection = connections;
    if (redis.status === 'connect') unready++;
    const isUnresponsive = redis.status === 'ready' ? !(await replies(redis, replyTimeoutMs)) : unready > 1;
    if (isUnresponsive && connection === connections && (redis.status === 'ready' || redis.status === 'connect'))
      redis.disconnect(true);
  };
  const timer = setInterval(() => void check(), intervalMs).unref();
  redis.on('end', () => clearInterval(timer));
}

async function replies(redis: Redis, replyTimeoutMs: number): Promise<boolean> {
  let replied = false;
  const pinged = redis.ping().then(
    () => (replied = true),
    () => undefined,
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, replyTimeoutMs);
  });
  await Promise.race([pinged, late]);
  clearTimeout(timer);
  // When the event loop was blocked, the timer fires before a reply that has already arrived is read.
  for (let phases = 0; phases < 2 && !replied; phases++) await ioProcessed();
  return replied;
}
