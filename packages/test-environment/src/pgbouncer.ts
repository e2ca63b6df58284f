import { startPgBouncer as startServer } from '@tributary/local-databases';

export { hasPgBouncer } from '@tributary/local-databases';

export interface TestPgBouncer {
  /** Connects to the same database with the same role through PgBouncer. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode in front of a database, with few server connections, so that clients share them.
 * @param databaseUrl contains user and password of the role
 */
export async function startPgBouncer(databaseUrl: string, serverConnections = 3): Promise<TestPgBouncer> {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const bouncer = await startServer({
    host: hostname,
    serverPort: Number(port),
    passwords: { [decodeURIComponent(username)]: decodeURIComponent(password) },
    poolSize: serverConnections,
    maxClients: 200,
  });
  const url = new URL(databaseUrl);
  [url.hostname, url.port] = ['127.0.0.1', String(bouncer.port)];
  return { url: url.href, stop: () => bouncer.stop() };
}
