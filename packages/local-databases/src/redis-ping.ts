import type { ConnectionOptions } from 'node:tls';
import { Redis } from 'ioredis';

/** Connects to a Redis once; resolves with the error message, or with undefined on success. */
export async function connectionError(url: string, tls?: ConnectionOptions): Promise<string | undefined> {
  const client = new Redis(url, {
    ...(tls ? { tls } : {}),
    lazyConnect: true,
    connectTimeout: 3000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    disconnectTimeout: 100, // ioredis keeps the process alive for this time after a refused connection.
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
