import { Redis } from 'ioredis';

/** One attempt to reach a Redis; resolves with the reason of a failure, or with undefined when it answered. */
export async function complaintOfRedis(url: string): Promise<string | undefined> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    disconnectTimeout: 100, // After a refused connection ioredis keeps this process alive for that long.
  });
  let lastError: Error | undefined;
  client.on('error', (error: Error) => (lastError = error));
  try {
    await client.connect();
    await client.ping();
    return undefined;
  } catch (error) {
    return (lastError ?? (error as Error)).message;
  } finally {
    client.disconnect();
  }
}

export async function answersToPing(url: string): Promise<boolean> {
  return (await complaintOfRedis(url)) === undefined;
}
