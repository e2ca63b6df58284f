import type { Duplex } from 'node:stream';
import {
  Client,
  type ClientConfig,
  type Pool,
  type PoolConfig,
  type QueryArrayConfig,
  type QueryArrayResult,
} from 'pg';
import { type StatementPartitions, isConnectionFailure, isUnprepared } from './statement';

/**
 * The number of connections. The one thread of a process cannot keep more of them busy with statements that take
 * fractions of a millisecond.
 */
const CONNECTIONS = 4;
/**
 * A connection whose first statement has been executing for longer than this time, in milliseconds, takes no more: a
 * slow search of one caller does not delay the statements of others.
 */
const SLOW_STATEMENT_MS = 20;

/**
 * The maximum number of statements in flight on a connection. When all connections are full, the pool takes the
 * statements, which wait there for a limited time.
 */
const MAX_WAITING = 64;

/** SQLSTATE. */
const INVALID_PASSWORD = '28P01';

/** Whether statements may be executed twice, as those that only read may. */
export type Repeatable = 'repeatable' | 'once';

/**
 * Executes single statements, each a transaction of its own, on a few shared connections in pipeline mode: a statement
 * is sent without waiting for the results of earlier ones, and those of one iteration of the event loop are sent in one
 * packet. With one connection per statement, as from a pool, system calls and context switches cost more than the
 * statements themselves.
 */
export class PipelinedConnections {
  private readonly connections: PipelinedConnection[];

  /**
   * Connections are opened on demand, with the options of the pool. The pool executes what they cannot take.
   * @param connections the number of connections; with 0 the pool executes every statement
   * @param partitions the partitions that statements of one user name
   */
  constructor(
    private readonly pool: Pool,
    private readonly repeatable: Repeatable,
    connections = CONNECTIONS,
    readonly partitions?: StatementPartitions,
  ) {
    this.connections = Array.from({ length: connections }, () => new PipelinedConnection(pool.options));
  }

  /** Like `query` of a pool. A repeatable statement whose connection breaks is executed again, on the pool. */
  async query<Row extends unknown[]>(config: QueryArrayConfig): Promise<QueryArrayResult<Row>> {
    const connection = this.leastBusy();
    if (!connection) return this.pool.query<Row>(config);
    try {
      return await connection.query<Row>(config);
    } catch (error) {
      // An earlier statement on the connection was to prepare this one, and failed.
      if (isUnprepared(error)) return this.pool.query<Row>(config);
      if (this.repeatable === 'once' || !isConnectionFailure(error as Error)) throw error;
      return this.pool.query<Row>(config);
    }
  }

  private leastBusy(): PipelinedConnection | undefined {
    let best: PipelinedConnection | undefined;
    for (const each of this.connections) if ((!best || each.waiting < best.waiting) && each.isAvailable()) best = each;
    return best;
  }

  /** Closes the connections when the statements in flight have ended. */
  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}

/** One connection, which is opened again after it broke. */
class PipelinedConnection {
  private client: Promise<Client> | undefined;
  /**
   * The start of each statement without a result, in milliseconds of `performance.now()`. Results arrive in this order.
   */
  private readonly pending = new Set<{ readonly at: number }>();

  constructor(private readonly options: ClientConfig) {}

  get waiting(): number {
    return this.pending.size;
  }

  /** Whether it takes another statement. */
  isAvailable(): boolean {
    const [first] = this.pending;
    return (
      first === undefined || (this.pending.size < MAX_WAITING && performance.now() - first.at <= SLOW_STATEMENT_MS)
    );
  }

  async query<Row extends unknown[]>(config: QueryArrayConfig): Promise<QueryArrayResult<Row>> {
    const own = { at: performance.now() };
    this.pending.add(own);
    const opening = (this.client ??= this.open());
    try {
      const client = await opening;
      sendWithOthers(client);
      return await client.query<Row>(config);
    } catch (error) {
      // The 'error' event of the connection is emitted later, after further statements have been sent.
      if (isConnectionFailure(error as Error)) {
        this.forget(opening);
        void opening.then((lost) => lost.end()).catch(() => undefined);
      }
      throw error;
    } finally {
      this.pending.delete(own);
    }
  }

  async close(): Promise<void> {
    const client = await this.client?.catch(() => undefined);
    await client?.end();
  }

  private open(): Promise<Client> {
    const opening = connected(this.options);
    const forget = (): void => this.forget(opening);
    opening.then((client) => client.on('error', forget).on('end', forget), forget);
    return opening;
  }

  private forget(client: Promise<Client>): void {
    if (this.client === client) this.client = undefined;
  }
}

/** How often a connection is opened again after a refusal: the pool's client takes another password then. */
const FURTHER_ATTEMPTS = 2;

async function connected(options: ClientConfig): Promise<Client> {
  // The pool may have a client of its own, such as one for PgBouncer.
  const PoolClient = ((options as PoolConfig).Client ?? Client) as typeof Client;
  for (let attempt = 0; ; attempt++) {
    const client = new PoolClient({ ...options, pipeline: true });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if ((error as { code?: unknown }).code !== INVALID_PASSWORD || attempt === FURTHER_ATTEMPTS) throw error;
    }
  }
}

/** Sends the statements of this iteration of the event loop in one packet. */
function sendWithOthers(client: Client): void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
