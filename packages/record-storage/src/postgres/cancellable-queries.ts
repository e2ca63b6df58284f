import { once } from 'node:events';
import { type Socket, connect, isIP } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import { type Queryable, withConnection } from './statement';

/** The codes of the CancelRequest and SSLRequest messages, sent instead of a protocol version. */
const CANCEL_REQUEST = 80_877_102;
const SSL_REQUEST = 80_877_103;
const CANCEL_TIMEOUT_MS = 2000;

/** Tells when a caller no longer waits for results. */
export interface Cancellation {
  /** @throws the reason of the signal when it is aborted */
  throwIfAborted(): void;
  /** For statements that take long. It may be created when it is first read. */
  readonly signal: AbortSignal;
}

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
        // The connection is released after the cancellation; otherwise the request could cancel the next statement on
        // it.
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
  /** The options of TLS; false without TLS. */
  readonly ssl: ConnectionOptions | boolean;
}

/**
 * Cancels what runs on a connection by the protocol's own request, which poolers pass on; `pg_cancel_backend` needs the
 * number of the backend, which they hide. It may fail: then the statement ends by its timeout.
 */
async function cancelStatement(connection: PoolClient): Promise<void> {
  const { host, port, processID, secretKey, ssl } = connection as unknown as ConnectedClient;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').catch(() => undefined);
  // The timeout and the server close the socket without an error, at any step of the handshake.
  const lost = closed.then(() => socket);
  const stream =
    ssl === false ? socket : await Promise.race([encrypted(socket, host, ssl).catch(() => socket.destroy()), lost]);
  if (!stream.destroyed) stream.end(message(CANCEL_REQUEST, processID, secretKey));
  // The server closes the connection after it has signalled the backend.
  stream.resume();
  await closed;
}

/** @throws when the server refuses TLS, or its certificate is not trusted */
async function encrypted(socket: Socket, host: string, ssl: ConnectionOptions | true): Promise<Socket> {
  socket.write(message(SSL_REQUEST));
  const [response] = (await once(socket, 'data')) as [Buffer];
  if (response.toString() !== 'S') throw new Error('the server does not support TLS');
  const options = ssl === true ? {} : { ...ssl };
  const stream = connectTls({ ...options, socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) });
  stream.on('error', () => socket.destroy());
  await once(stream, 'secureConnect');
  return stream;
}

function message(...values: number[]): Buffer {
  const buffer = Buffer.alloc(4 + 4 * values.length);
  [buffer.length, ...values].forEach((value, i) => buffer.writeInt32BE(value, 4 * i));
  return buffer;
}
