import { Client, type ClientConfig, type PoolConfig } from 'pg';
import type { DatabaseConfig } from '../config/database-config';
import { AuthorityFile } from '../transport/authority-file';
import { DatabasePassword, clientWith, connectClient } from './database-password';

/**
 * The client's query timeout exceeds the server's statement timeout by this time, so that it applies only to a server
 * or network that hangs.
 */
const queryTimeoutMarginMs = 5000;
const keepAliveMs = 10_000;

/** Which PostgreSQL server. */
export type ConnectionConfig = Pick<DatabaseConfig, 'DATABASE_URL' | 'DATABASE_CA_FILE' | 'DATABASE_PASSWORD'>;

/**
 * Where and how pg connects. With DATABASE_CA_FILE connections are encrypted with TLS 1.2 or later, and the certificate
 * of the server is verified against the host name of the URL.
 * @throws Error when the file of DATABASE_CA_FILE cannot be used
 */
export function connectionOptions({
  DATABASE_URL: url,
  DATABASE_CA_FILE: path,
}: ConnectionConfig): Pick<ClientConfig, 'connectionString' | 'ssl'> {
  if (path === undefined) return { connectionString: url };
  const authority = new AuthorityFile(path, 'DATABASE_CA_FILE');
  return {
    connectionString: withoutSslParameters(url),
    ssl: {
      // A getter, which pg calls for each connection.
      get ca() {
        return authority.current();
      },
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
    },
  };
}

/**
 * Connects a client that belongs to no pool.
 * @throws Error when the file of DATABASE_CA_FILE cannot be used, and what `connect` of pg throws
 */
export function openClient(server: ConnectionConfig, options: ClientConfig): Promise<Client> {
  const OwnClient = clientClass(server);
  const connection = connectionOptions(server);
  return connectClient(() => new OwnClient({ ...connection, ...options }));
}

/** The class of clients that connect with the password of the configuration. */
export function clientClass({ DATABASE_PASSWORD }: ConnectionConfig, Base = Client): typeof Client {
  return DATABASE_PASSWORD === undefined ? Base : clientWith(new DatabasePassword(DATABASE_PASSWORD), Base);
}

/** With one of these parameters in the URL, pg ignores the `ssl` option. */
function withoutSslParameters(url: string): string {
  const [address = '', query = ''] = url.split('?');
  const kept = query.split('&').filter((parameter) => parameter !== '' && !/^(?:ssl|uselibpqcompat)/i.test(parameter));
  return kept.length === 0 ? address : `${address}?${kept.join('&')}`;
}

/**
 * The options of a pg pool on a schema. With a direct connection to PostgreSQL, `search_path` and the time limits are
 * startup parameters. PgBouncer in transaction mode refuses startup parameters and may run a prepared statement on
 * another server connection; there the settings are stored on the role (`storeRoleSettings`) and statements are sent
 * unnamed.
 */
export function poolOptions(config: DatabaseConfig, schema: string): PoolConfig {
  const statementMs = config.DATABASE_STATEMENT_TIMEOUT_MS;
  const hasPooler = config.DATABASE_POOLER === 'transaction';
  return {
    ...connectionOptions(config),
    max: config.DATABASE_POOL_SIZE,
    connectionTimeoutMillis: config.DATABASE_CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    // The timeout of the client. A transaction that sets a longer statement_timeout has to pass `query_timeout` with
    // each query.
    ...(statementMs > 0 ? { query_timeout: statementMs + queryTimeoutMarginMs } : {}),
    Client: clientClass(config, hasPooler ? UnnamedStatementsClient : Client),
    ...(hasPooler ? {} : { options: startupOptions(config, schema) }),
  };
}

/** How long a statement may wait for a lock, and a transaction for its next statement. */
const lockTimeoutMs = 10_000;
const idleInTransactionTimeoutMs = 30_000;

/** The settings of each session; times are in milliseconds. */
export function sessionSettings(config: DatabaseConfig, schema: string): Record<string, string> {
  const isLimited = config.DATABASE_STATEMENT_TIMEOUT_MS > 0;
  return {
    search_path: `${schema}, public`,
    statement_timeout: String(config.DATABASE_STATEMENT_TIMEOUT_MS),
    lock_timeout: String(isLimited ? lockTimeoutMs : 0),
    idle_in_transaction_session_timeout: String(isLimited ? idleInTransactionTimeoutMs : 0),
  };
}

function startupOptions(config: DatabaseConfig, schema: string): string {
  return Object.entries(sessionSettings(config, schema))
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '')}`)
    .join(' ');
}

/**
 * Sends every statement unnamed: a named one is prepared on one server connection, and a transaction pooler may use
 * another one next time.
 */
class UnnamedStatementsClient extends Client {
  // The overloads of pg's `query` cannot be distinguished here; all arguments are passed on.
  override query(...parameters: unknown[]): never {
    const [first, ...rest] = parameters;
    return Reflect.apply(super.query, this, [withoutName(first), ...rest]) as never;
  }
}

function withoutName(query: unknown): unknown {
  if (typeof query !== 'object' || query === null || !('name' in query && 'text' in query)) return query;
  // pg executes a query object itself, and copies a configuration. Properties of the latter can be inherited.
  return Object.assign('submit' in query ? query : Object.create(query), { name: undefined });
}
