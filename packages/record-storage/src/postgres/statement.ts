import type { Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';

/** An SQL statement. One with a name is prepared once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  /** Whether $1 is a user, and all rows that it reads and writes are of this user. */
  readonly isOfUser?: true;
}

/** A value of a row: whole numbers of up to 32 bits are numbers, 64-bit ones are texts, bytea is a Buffer. */
export type Value = number | string | boolean | Buffer | null;
export type Row = Value[];

const parsers = new Map<number, (text: string) => Value>([
  [16, (text) => text === 't'],
  [17, (text) => Buffer.from(text.slice(2), 'hex')],
  [21, Number],
  [23, Number],
]);
const asText = (text: string): Value => text;
const types = { getTypeParser: (oid: number) => parsers.get(oid) ?? asText } as never;

/** SQL for the clock of the database in epoch milliseconds. */
export const databaseClock = `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/** What knows the partitions of users. */
export interface StatementPartitions {
  /** The statement in the partition of a user; undefined if it should name the tables themselves. */
  statementFor(statement: Statement, userId: number): Statement | undefined;
  /** To be called when a partition was not found. */
  forget(): void;
}

/** What executes single statements: a pool, a connection, or pipelined connections. */
export interface Queryable {
  /** Set where each statement is a transaction of its own, so that one that has failed can be sent again. */
  readonly partitions?: StatementPartitions | undefined;
  query<R extends unknown[]>(config: QueryArrayConfig): Promise<QueryArrayResult<R>>;
}

/** Tells when a caller no longer waits for results. */
export interface Cancellation {
  /** @throws the reason when the caller is gone */
  throwIfAborted(): void;
}

const configurations = new WeakMap<Statement, QueryArrayConfig>();

/**
 * The configuration of a statement for pg, which copies the own properties of each configuration that it gets. What
 * the executions of a prepared statement share is inherited: copying it takes longer than all else that pg does to
 * create a query.
 */
function configurationOf(statement: Statement, values: readonly unknown[]): QueryArrayConfig {
  if (statement.name === undefined) return { ...statement, values: values as unknown[], rowMode: 'array', types };
  let shared = configurations.get(statement);
  if (!shared) {
    shared = { ...statement, rowMode: 'array', types };
    configurations.set(statement, shared);
  }
  return Object.assign(Object.create(shared) as QueryArrayConfig, { values });
}

/** Runs a statement and returns its rows as arrays in the order of its columns. */
export async function run(connection: Queryable, statement: Statement, values: readonly unknown[]): Promise<Row[]> {
  const { partitions } = connection;
  const inPartition = statement.isOfUser && partitions?.statementFor(statement, values[0] as number);
  if (inPartition) {
    try {
      return (await connection.query<Row>(configurationOf(inPartition, values))).rows;
    } catch (error) {
      if (sqlState(error) !== UNDEFINED_TABLE) throw error;
      partitions?.forget();
    }
  }
  return (await connection.query<Row>(configurationOf(statement, values))).rows;
}

/** Runs a statement that changes rows, and returns how many. */
export async function affectedRows(
  connection: Queryable,
  statement: Statement,
  values: readonly unknown[],
): Promise<number> {
  return (await connection.query(configurationOf(statement, values))).rowCount ?? 0;
}

/**
 * Lends one connection of the pool. A connection that failed during the work is closed instead of returned.
 */
export async function withConnection<T>(pool: Pool, work: (connection: PoolClient) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  let failure: Error | undefined;
  try {
    return await work(connection);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    connection.release(failure !== undefined && isConnectionFailure(failure) ? failure : undefined);
  }
}

/**
 * Runs work in a transaction, which is rolled back when the work fails.
 * @param work begins it by BEGIN, which takes no round trip in one message with another statement
 */
export function inTransaction<T>(pool: Pool, work: (connection: PoolClient) => Promise<T>): Promise<T> {
  return withConnection(pool, async (connection) => {
    try {
      const result = await work(connection);
      await connection.query('COMMIT');
      return result;
    } catch (error) {
      await connection.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}

const UNIQUE_VIOLATION = '23505';
const UNDEFINED_TABLE = '42P01';

/** Whether the error reports that a row with this key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === UNIQUE_VIOLATION;
}

/** Messages of pg, without an error code, for a lost connection or one that is busy with an abandoned statement. */
const LOST_CONNECTION =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired)/;

/** Whether the connection is lost; false for an error of the statement or of the caller. */
export function isConnectionFailure(error: Error): boolean {
  const state = sqlState(error);
  if (state !== undefined) return state.startsWith('08') || state.startsWith('57P');
  return (
    'syscall' in error ||
    LOST_CONNECTION.test(error.message) ||
    ('code' in error && typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code))
  );
}

/** Whether the statement was not prepared on this connection: it has not run. */
export function isUnprepared(error: unknown): boolean {
  return sqlState(error) === '26000';
}

function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  // SQLSTATE classes never begin with E; codes of system errors, such as EPIPE, do.
  return typeof code === 'string' && /^[0-9FHPX][0-9A-Z]{4}$/.test(code) ? code : undefined;
}
