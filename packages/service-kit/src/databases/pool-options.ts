import { Client, type PoolConfig, type QueryConfig } from 'pg';
import type { DatabaseConfig } from '../config/database-config';

/** Above the time limit that PostgreSQL itself keeps: only a server or a network that hangs comes to it. */
const beyondStatementMs = 5000;
const keepAliveMs = 10_000;

/**
 * The options of a pg pool on a schema. Directly at PostgreSQL, `search_path` and the time limits are startup parameters. PgBouncer refuses these in
 * transaction mode, and a prepared statement may be on another of its connections: there they are settings of the role (`storeRoleSettings`), and
 * names of statements are dropped.
 */
export function poolOptions(config: DatabaseConfig, schema: string): PoolConfig {
  const statementMs = config.DATABASE_STATEMENT_TIMEOUT_MS;
  return {
    max: config.DATABASE_POOL_SIZE,
    connectionTimeoutMillis: config.DATABASE_CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    // The client's own limit, for statements without an answer. A transaction that sets a longer statement_timeout gives each query its `query_timeout`.
    ...(statementMs > 0 ? { query_timeout: statementMs + beyondStatementMs } : {}),
    ...(config.DATABASE_POOLER === 'transaction'
      ? { Client: UnnamedStatementsClient }
      : { options: startupOptions(config, schema) }),
  };
}

/** The settings of sessions, in milliseconds where they are times. */
export function sessionSettings(config: DatabaseConfig, schema: string): Record<string, string> {
  return {
    search_path: `${schema}, public`,
    statement_timeout: String(config.DATABASE_STATEMENT_TIMEOUT_MS),
    lock_timeout: String(config.DATABASE_LOCK_TIMEOUT_MS),
    idle_in_transaction_session_timeout: String(config.DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS),
  };
}

function startupOptions(config: DatabaseConfig, schema: string): string {
  return Object.entries(sessionSettings(config, schema))
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '')}`)
    .join(' ');
}

/** Sends every statement unnamed: a named one is prepared on one server connection, and a transaction pooler may use another for the next. */
class UnnamedStatementsClient extends Client {
  // The overloads of pg's `query` cannot be told apart here; all arguments are handed on.
  override query(...parameters: unknown[]): never {
    const [first, ...rest] = parameters;
    const unnamed = isNamed(first) ? { ...first, name: undefined } : first;
    return Reflect.apply(super.query, this, [unnamed, ...rest]) as never;
  }
}

function isNamed(query: unknown): query is QueryConfig {
  return typeof query === 'object' && query !== null && 'name' in query && 'text' in query && !('submit' in query);
}
