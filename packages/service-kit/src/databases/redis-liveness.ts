import { setImmediate as ioProcessed } from 'node:timers/promises';
import type { Redis } from 'ioredis';

const intervalMs = 1000;
const replyTimeoutMs = 800;

/**
 * Sends PING every second and closes a connection that does not reply, or that is not ready after two intervals; ioredis then opens another. TCP
 * notices a host or a network that is gone only after many minutes. (The `socketTimeout` of ioredis is of no use: its timer survives the
 * connection, and then closes the one that follows.) The watch ends with the connection.
 */
export function closeWhenSilent(redis: Redis): void {
  let connections = 0;
  let unready = 0;
  redis.on('connect', () => {
    connections++;
    unready = 0;
  });

  const check = async (): Promise<void> => {
    const connection = connections;
    if (redis.status === 'connect') unready++;
    const isSilent = redis.status === 'ready' ? !(await replies(redis)) : unready > 1;
    if (isSilent && connection === connections && (redis.status === 'ready' || redis.status === 'connect'))
      redis.disconnect(true);
  };
  const timer = setInterval(() => void check(), intervalMs).unref();
  redis.on('end', () => clearInterval(timer));
}

async function replies(redis: Redis): Promise<boolean> {
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
  // After the event loop was blocked, timers run before the reply that has long been there is read.
  for (let turn = 0; turn < 2 && !replied; turn++) await ioProcessed();
  return replied;
}
