import { once } from 'node:events';
import { connect } from 'node:net';
import type { Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import { type Queryable, withConnection } from './statement';

/** The code of a CancelRequest message, sent instead of a protocol version. */
const CANCEL_REQUEST = 80_877_102;
const CANCEL_TIMEOUT_MS = 2000;

/**
 * Runs statements over the pool. When the signal is aborted, a running statement is cancelled, and others do not begin.
 */
export class CancellableQueries implements Queryable {
  constructor(
    private readonly pool: Pool,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws the reason of the signal */
  query<R extends unknown[]>(config: QueryArrayConfig): Promise<QueryArrayResult<R>> {
    this.signal.throwIfAborted();
    return withConnection(this.pool, async (connection) => {
      this.signal.throwIfAborted();
      let cancelling: Promise<void> | undefined;
      const cancel = (): void => void (cancelling = cancelStatement(connection));
      this.signal.addEventListener('abort', cancel, { once: true });
      try {
        return await connection.query<R>(config);
      } catch (error) {
        this.signal.throwIfAborted();
        throw error;
      } finally {
        this.signal.removeEventListener('abort', cancel);
        // The connection is released after the cancellation; otherwise the request could cancel the next statement on it.
        await cancelling;
      }
    });
  }
}

interface ConnectedClient {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/**
 * Cancels what runs on a connection by the protocol's own request, which poolers pass on; `pg_cancel_backend` needs the
 * number of the backend, which they hide. It may fail: then the statement ends by its timeout.
 */
async function cancelStatement(connection: PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = connection as unknown as ConnectedClient;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  const request = Buffer.alloc(16);
  [request.length, CANCEL_REQUEST, processID, secretKey].forEach((value, i) => request.writeInt32BE(value, 4 * i));
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.end(request);
  // The server closes the connection after it has signalled the backend.
  socket.resume();
  await once(socket, 'close').catch(() => undefined);
}
