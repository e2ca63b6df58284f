import { Socket } from 'node:net';
import {
  Client,
  type ClientConfig,
  type Pool,
  type PoolConfig,
  type QueryArrayConfig,
  type QueryArrayResult,
} from 'pg';
import { isConnectionFailure, isUnprepared } from './statement';

/** Enough for one process: its one thread cannot keep more busy with statements of a fraction of a millisecond. */
const CONNECTIONS = 4;
/** A lane on which a statement has been running for so long takes no more: nobody waits long behind somebody else's heavy search. */
const SLOW_STATEMENT_MS = 20;

/** A lane takes no more statements than this at once. When all are full the pool takes them, where they wait for a limited time. */
const MAX_WAITING = 64;

/** Whether statements may be run twice: those that only read. */
export type Repeatable = 'repeatable' | 'once';

/**
 * Runs statements that stand alone, each a transaction of its own. They share a few connections and are sent without waiting
 * for the ones before (pipelining), those of one turn of the event loop in one packet. On a connection each, as a pool gives
 * them, the system calls and the switches between processes cost more than the statements themselves.
 */
export class PipelinedConnections {
  private readonly connections: PipelinedConnection[];

  /**
   * The connections are opened when they are needed, with the settings of the pool, which also takes what the lanes cannot.
   * @param connections how many connections; with 0 the pool takes everything
   */
  constructor(
    private readonly pool: Pool,
    private readonly repeatable: Repeatable,
    connections = CONNECTIONS,
  ) {
    this.connections = Array.from({ length: connections }, () => new PipelinedConnection(pool.options));
  }

  /** Like a pool's. A repeatable statement whose connection breaks is run again, on the pool. */
  async query<Row extends unknown[]>(config: QueryArrayConfig): Promise<QueryArrayResult<Row>> {
    const connection = this.connections
      .filter((each) => each.isAvailable())
      .reduce<PipelinedConnection | undefined>(
        (best, each) => (best && best.waiting <= each.waiting ? best : each),
        undefined,
      );
    if (!connection) return this.pool.query<Row>(config);
    try {
      return await connection.query<Row>(config);
    } catch (error) {
      // The statement before it was to prepare it, and failed.
      if (isUnprepared(error)) return this.pool.query<Row>(config);
      if (this.repeatable === 'once' || !isConnectionFailure(error as Error)) throw error;
      return this.pool.query<Row>(config);
    }
  }

  /** Closes the connections when what runs on them is done. */
  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}

/** One connection, opened anew after it broke. */
class PipelinedConnection {
  private connection: Promise<PipeliningClient> | undefined;
  /** When each statement began that has no answer yet; they are answered in this order. */
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
    const opening = (this.connection ??= this.open());
    try {
      return await (await opening).query<Row>(config);
    } catch (error) {
      // Its end is heard of a moment later, which would be too late for the statements in between.
      if (isConnectionFailure(error as Error)) {
        this.forget(opening);
        void opening.then((lost) => lost.close()).catch(() => undefined);
      }
      throw error;
    } finally {
      this.pending.delete(own);
    }
  }

  async close(): Promise<void> {
    const connection = await this.connection?.catch(() => undefined);
    await connection?.close();
  }

  private open(): Promise<PipeliningClient> {
    const opening = PipeliningClient.open(this.options, () => this.forget(opening));
    opening.catch(() => this.forget(opening));
    return opening;
  }

  private forget(connection: Promise<PipeliningClient>): void {
    if (this.connection === connection) this.connection = undefined;
  }
}

class PipeliningClient {
  private corked = false;

  private constructor(
    private readonly client: Client,
    private readonly socket: Socket,
  ) {}

  static async open(options: ClientConfig, onLost: () => void): Promise<PipeliningClient> {
    const socket = new Socket();
    // The pool may have a client of its own, such as one for PgBouncer.
    const PoolClient = ((options as PoolConfig).Client ?? Client) as typeof Client;
    const client = new PoolClient({ ...options, pipeline: true, stream: () => socket });
    client.on('error', onLost);
    client.on('end', onLost);
    await client.connect();
    return new PipeliningClient(client, socket);
  }

  query<Row extends unknown[]>(config: QueryArrayConfig): Promise<QueryArrayResult<Row>> {
    if (!this.corked) {
      this.corked = true;
      this.socket.cork();
      setImmediate(() => {
        this.corked = false;
        this.socket.uncork();
      });
    }
    return this.client.query<Row>(config);
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
